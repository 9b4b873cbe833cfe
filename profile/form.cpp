#include "profile/form.hpp"

#include <fmt/format.h>

#include <span>

#include "profile/foreign_rows.hpp"
#include "profile/form_rules.hpp"
#include "profile/places_form.hpp"
#include "profile/schema.hpp"
#include "profile/scope_text.hpp"
#include "profile/sharing_form.hpp"
#include "profile/signature_form.hpp"

namespace cachescape::profile {
namespace {

Result<void> check_place(const Scope& scope, LineSize line, std::string_view name) {
  if (scope.kind == Scope::Kind::everything && scope.thread.value != 0) {
    return failure(ErrorKind::usage,
                   fmt::format("{}: the scope is everything, but names thread {}", name, scope.thread.value));
  }
  if (line.log2() > 30) {
    return failure(ErrorKind::usage, fmt::format("{}: the line size 2^{} is larger than 2^30", name, line.log2()));
  }
  return {};
}

template <class Part>
Result<void> check_order(std::span<const Part> parts, std::string_view name) {
  for (std::size_t i = 0; i < parts.size(); ++i) {
    CACHESCAPE_CHECK(check_place(parts[i].scope, parts[i].line, fmt::format("{} {}", name, i + 1)));
    if (i == 0) continue;
    const auto key = [](const Part& p) { return std::pair(p.scope, p.line); };
    if (!(key(parts[i - 1]) < key(parts[i]))) {
      return failure(ErrorKind::usage, fmt::format("{} {} ({}) must come before {} {} ({}), and only once", name, i + 1,
                                                   scope_text(parts[i].scope, parts[i].line), name, i,
                                                   scope_text(parts[i - 1].scope, parts[i - 1].line)));
    }
  }
  return {};
}

Result<void> check_stack(const StackProfile& stack) {
  const std::string name = scope_text(stack.scope, stack.line);
  CACHESCAPE_CHECK(in_range(stack.footprint_lines, fmt::format("{}: the footprint", name)));
  for (std::size_t k = 0; k < access_kinds; ++k) {
    const Histogram& histogram = stack.kinds[k];
    CACHESCAPE_CHECK(
        check_bins(histogram.bins, 0, histogram.cold, fmt::format("{}, {} distances", name, kind_names[k])));
  }
  CACHESCAPE_CHECK(check_bins(stack.popularity, 1, 0, fmt::format("{}, popularity", name)));
  if (!stack.write_backs) return {};
  return check_bins(*stack.write_backs, 0, 0, fmt::format("{}, write-backs", name));
}

Result<void> check_counts(const SetProfile& profile, const SetCounts& counts, const std::string& name) {
  CACHESCAPE_CHECK(in_range(counts.sets, fmt::format("{}: the number of sets", name)));
  if (counts.sets == 0) return failure(ErrorKind::usage, fmt::format("{}: the number of sets is 0", name));
  std::uint64_t sum = 0;
  for (std::size_t k = 0; k < access_kinds; ++k) {
    if (counts.hits[k].size() != profile.ways) {
      return failure(ErrorKind::usage, fmt::format("{}, {} sets: there are {} {} counts, not {}, one per way", name,
                                                   counts.sets, counts.hits[k].size(), kind_names[k], profile.ways));
    }
    for (const std::uint64_t count : counts.hits[k]) {
      CACHESCAPE_CHECK(in_range(count, fmt::format("{}, {} sets: a count", name, counts.sets)));
      sum += count;
      CACHESCAPE_CHECK(in_range(sum, fmt::format("{}, {} sets: the sum of counts", name, counts.sets)));
    }
  }
  return {};
}

Result<void> check_sets(const SetProfile& profile, std::uint64_t& cells) {
  const std::string name = fmt::format("set distances of {}", scope_text(profile.scope, profile.line));
  if (profile.ways > max_ways) {
    return failure(ErrorKind::limit, fmt::format("{}: {} ways are more than {}", name, profile.ways, max_ways));
  }
  cells += profile.counts.size() * access_kinds * profile.ways;
  if (cells > max_set_cells) {
    return failure(ErrorKind::limit,
                   fmt::format("{}: there are more than {} counters of set distances", name, max_set_cells));
  }
  CACHESCAPE_CHECK(in_range(profile.touches, fmt::format("{}: touches", name)));
  for (std::size_t i = 0; i < profile.counts.size(); ++i) {
    CACHESCAPE_CHECK(check_counts(profile, profile.counts[i], name));
    if (i > 0 && profile.counts[i].sets <= profile.counts[i - 1].sets) {
      return failure(ErrorKind::usage, fmt::format("{}: {} sets follow {}: the numbers of sets must ascend", name,
                                                   profile.counts[i].sets, profile.counts[i - 1].sets));
    }
  }
  return {};
}

Result<void> check_sampling(const Sampling& sampling) {
  if (!(sampling.rate > 0 && sampling.rate <= 1)) {
    return failure(ErrorKind::usage,
                   fmt::format("the sampling rate is {}: it must be above 0 and at most 1", sampling.rate));
  }
  if (static_cast<std::size_t>(sampling.method) >= Sampling::names.size()) {
    return failure(ErrorKind::usage,
                   fmt::format("there is no sampling method {}", static_cast<unsigned>(sampling.method)));
  }
  CACHESCAPE_CHECK(in_range(sampling.on, "the number of accesses on"));
  CACHESCAPE_CHECK(in_range(sampling.off, "the number of accesses off"));
  CACHESCAPE_CHECK(in_range(sampling.max_lines, "the number of lines followed"));
  return in_range(sampling.analysed, "the number of analysed accesses");
}

}  // namespace

Result<void> check_form(const Profile& profile) {
  for (const auto& [key, value] : profile.provenance) {
    if (key.size() >= max_text || value.size() >= max_text) {
      return failure(ErrorKind::limit, fmt::format("a text of the provenance has more than {} bytes", max_text));
    }
  }
  CACHESCAPE_CHECK(in_range(profile.instructions, "the number of instructions"));
  CACHESCAPE_CHECK(in_range(profile.bytes, "the number of bytes"));
  for (std::size_t i = 0; i < profile.threads.size(); ++i) {
    const ThreadCounts& t = profile.threads[i];
    CACHESCAPE_CHECK(in_range(t.accesses, fmt::format("the accesses of thread {}", t.thread.value)));
    if (i > 0 && t.thread <= profile.threads[i - 1].thread) {
      return failure(ErrorKind::usage, fmt::format("thread {} follows thread {}: threads must ascend", t.thread.value,
                                                   profile.threads[i - 1].thread.value));
    }
  }
  CACHESCAPE_CHECK(check_sampling(profile.sampling));
  CACHESCAPE_CHECK(in_range(profile.losses.lost_accesses, "the number of lost accesses"));
  CACHESCAPE_CHECK(in_range(profile.losses.skipped_records, "the number of skipped records"));
  CACHESCAPE_CHECK(check_order(std::span(profile.stacks), "stack profile"));
  for (const StackProfile& stack : profile.stacks) {
    CACHESCAPE_CHECK(check_stack(stack));
    CACHESCAPE_CHECK(check_foreign(stack));
  }
  CACHESCAPE_CHECK(check_order(std::span(profile.sets), "set profile"));
  std::uint64_t cells = 0;
  for (const SetProfile& sets : profile.sets) {
    CACHESCAPE_CHECK(check_sets(sets, cells));
    CACHESCAPE_CHECK(check_foreign(sets));
  }
  CACHESCAPE_CHECK(check_form(profile.places));
  CACHESCAPE_CHECK(check_form(profile.sharing, profile.places));
  return check_form(profile.signatures, profile.places);
}

}  // namespace cachescape::profile
