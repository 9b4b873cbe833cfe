#include "profile/merge.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "profile/differ.hpp"
#include "profile/form.hpp"
#include "profile/places_merge.hpp"
#include "profile/scope_text.hpp"
#include "profile/sharing_merge.hpp"
#include "profile/signature_merge.hpp"

namespace cachescape::profile {
namespace {

constexpr std::array<std::string_view, 3> kind_words = {"runs", "threads", "ranks"};

/// Stays at the top, where check_form finds it.
void add(std::uint64_t& sum, std::uint64_t value) {
  if (__builtin_add_overflow(sum, value, &sum)) sum = std::numeric_limits<std::uint64_t>::max();
}

void add(KindCounts& sum, const KindCounts& values) {
  for (std::size_t k = 0; k < access_kinds; ++k) add(sum[k], values[k]);
}

/// One thing that was analysed, of whatever thread.
struct Analysis {
  enum class Of : std::uint8_t { stack_distances, write_backs, set_distances };
  Of of = Of::stack_distances;
  Scope::Kind scope = Scope::Kind::everything;
  LineSize line{6};
  std::uint32_t ways = 0;
  std::vector<std::uint64_t> sets;

  friend auto operator<=>(const Analysis&, const Analysis&) = default;
};

std::string text_of(const Analysis& a) {
  const std::string whose =
      fmt::format("{} with {}-byte lines", a.scope == Scope::Kind::everything ? "everything" : "single threads",
                  a.line.bytes().value);
  if (a.of == Analysis::Of::stack_distances) return fmt::format("stack distances of {}", whose);
  if (a.of == Analysis::Of::write_backs) return fmt::format("write-backs of {}", whose);
  return fmt::format("set distances of {}, {} ways and {} sets", whose, a.ways, fmt::join(a.sets, ", "));
}

std::set<Analysis> analyses_of(const Profile& profile) {
  std::set<Analysis> all;
  for (const StackProfile& s : profile.stacks) {
    all.insert({Analysis::Of::stack_distances, s.scope.kind, s.line, 0, {}});
    if (s.write_backs) all.insert({Analysis::Of::write_backs, s.scope.kind, s.line, 0, {}});
  }
  for (const SetProfile& s : profile.sets) {
    Analysis analysis{Analysis::Of::set_distances, s.scope.kind, s.line, s.ways, {}};
    for (const SetCounts& counts : s.counts) analysis.sets.push_back(counts.sets);
    all.insert(std::move(analysis));
  }
  return all;
}

Result<void> check_same_analyses(std::span<const Profile> inputs) {
  const std::set<Analysis> first = analyses_of(inputs[0]);
  for (std::size_t i = 1; i < inputs.size(); ++i) {
    const std::set<Analysis> other = analyses_of(inputs[i]);
    const auto lacking = [](const std::set<Analysis>& has, const std::set<Analysis>& lacks) {
      return std::ranges::find_if(has, [&](const Analysis& a) { return !lacks.contains(a); });
    };
    if (const auto a = lacking(first, other); a != first.end()) {
      return differ(fmt::format("input {} has no {}, but input 1 has", i + 1, text_of(*a)));
    }
    if (const auto a = lacking(other, first); a != other.end()) {
      return differ(fmt::format("input 1 has no {}, but input {} has", text_of(*a), i + 1));
    }
  }
  return {};
}

/// Whether popularity was asked for; nothing where no line was touched.
std::optional<bool> keeps_popularity(const Profile& profile) {
  std::optional<bool> keeps;
  for (const StackProfile& s : profile.stacks) {
    if (s.footprint_lines > 0 || !s.popularity.empty()) keeps = keeps.value_or(false) || !s.popularity.empty();
  }
  return keeps;
}

Result<void> check_same_popularity(std::span<const Profile> inputs) {
  std::optional<std::size_t> with;
  std::optional<std::size_t> without;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const auto keeps = keeps_popularity(inputs[i]);
    if (keeps) (*keeps ? with : without) = i;
    if (with && without)
      return differ(fmt::format("input {} has no popularity, but input {} has", *without + 1, *with + 1));
  }
  return {};
}

Result<void> check_same_sampling(std::span<const Profile> inputs) {
  const Sampling& first = inputs[0].sampling;
  for (std::size_t i = 1; i < inputs.size(); ++i) {
    const Sampling& other = inputs[i].sampling;
    const auto compare = [&](std::string_view name, const auto& a, const auto& b) -> Result<void> {
      if (a == b) return {};
      return differ(fmt::format("the {} differs: input 1 has {}, input {} has {}", name, a, i + 1, b));
    };
    CACHESCAPE_CHECK(compare("sampling method", Sampling::names[static_cast<std::size_t>(first.method)],
                             Sampling::names[static_cast<std::size_t>(other.method)]));
    CACHESCAPE_CHECK(compare("sampling rate", first.rate, other.rate));
    CACHESCAPE_CHECK(compare("number of accesses on", first.on, other.on));
    CACHESCAPE_CHECK(compare("number of accesses off", first.off, other.off));
    CACHESCAPE_CHECK(compare("number of lines followed", first.max_lines, other.max_lines));
  }
  return {};
}

// One thread's own stack is the stack of everything where there is no other thread.
void know_single_thread(Profile& profile) {
  if (profile.threads.size() != 1) return;
  const auto adopt = [&](auto& parts) {
    if (std::ranges::any_of(parts, [](const auto& p) { return p.scope.kind == Scope::Kind::thread; })) return;
    const std::size_t count = parts.size();
    for (std::size_t i = 0; i < count; ++i) {
      auto copy = parts[i];
      copy.scope = {Scope::Kind::thread, profile.threads[0].thread};
      parts.push_back(std::move(copy));
    }
  };
  adopt(profile.stacks);
  adopt(profile.sets);
  adopt(profile.signatures);
  for (SignatureProfile& s : profile.signatures)
    if (s.scope.kind == Scope::Kind::thread) s.sites.clear();
}

/// Gives the threads new numbers from `next` on, in their old order; returns the old numbers' count.
std::uint64_t renumber(Profile& profile, std::uint64_t next) {
  std::set<ThreadId> old;
  for (const ThreadCounts& t : profile.threads) old.insert(t.thread);
  for (const StackProfile& s : profile.stacks) {
    if (s.scope.kind == Scope::Kind::thread) old.insert(s.scope.thread);
  }
  for (const SetProfile& s : profile.sets) {
    if (s.scope.kind == Scope::Kind::thread) old.insert(s.scope.thread);
  }
  for (const SignatureProfile& s : profile.signatures) {
    if (s.scope.kind == Scope::Kind::thread) old.insert(s.scope.thread);
  }
  std::map<ThreadId, ThreadId> number;
  for (const ThreadId t : old) number.emplace(t, ThreadId{static_cast<std::uint32_t>(next++)});
  for (ThreadCounts& t : profile.threads) t.thread = number.at(t.thread);
  const auto rename = [&](auto& parts) {
    for (auto& p : parts) {
      if (p.scope.kind == Scope::Kind::thread) p.scope.thread = number.at(p.scope.thread);
    }
  };
  rename(profile.stacks);
  rename(profile.sets);
  rename(profile.signatures);
  for (SharedLine& line : profile.sharing.lines) {
    for (LineUse& use : line.uses)
      if (const auto known = number.find(ThreadId{use.thread}); known != number.end()) use.thread = known->second.value;
  }
  return old.size();
}

bool drop_everything(Profile& profile) {
  const auto everything = [](const auto& part) { return part.scope.kind == Scope::Kind::everything; };
  return std::erase_if(profile.stacks, everything) + std::erase_if(profile.sets, everything) +
             std::erase_if(profile.signatures, everything) >
         0;
}

std::vector<Bin> sum_of(std::vector<Bin> bins) {
  std::ranges::sort(bins, {}, &Bin::value);
  std::vector<Bin> sum;
  for (const Bin& b : bins) {
    if (!sum.empty() && sum.back().value == b.value) {
      add(sum.back().count, b.count);
    } else {
      sum.push_back(b);
    }
  }
  return sum;
}

void append(std::vector<Bin>& bins, const std::vector<Bin>& more) { bins.insert(bins.end(), more.begin(), more.end()); }

/// Of the same scope and line.
StackProfile sum_of(std::span<const StackProfile* const> parts) {
  StackProfile sum = *parts[0];
  for (const StackProfile* part : parts.subspan(1)) {
    for (std::size_t k = 0; k < access_kinds; ++k) {
      add(sum.kinds[k].cold, part->kinds[k].cold);
      append(sum.kinds[k].bins, part->kinds[k].bins);
      add(sum.foreign[k].cold, part->foreign[k].cold);
      append(sum.foreign[k].bins, part->foreign[k].bins);
    }
    add(sum.footprint_lines, part->footprint_lines);
    append(sum.popularity, part->popularity);
    if (sum.write_backs && part->write_backs) append(*sum.write_backs, *part->write_backs);
  }
  if (sum.write_backs) sum.write_backs = sum_of(std::move(*sum.write_backs));
  for (Histogram& h : sum.kinds) h.bins = sum_of(std::move(h.bins));
  for (Histogram& h : sum.foreign) h.bins = sum_of(std::move(h.bins));
  sum.popularity = sum_of(std::move(sum.popularity));
  return sum;
}

Result<SetProfile> sum_of(std::span<const SetProfile* const> parts) {
  SetProfile sum = *parts[0];
  for (const SetProfile* part : parts.subspan(1)) {
    const bool same =
        part->ways == sum.ways && std::ranges::equal(part->counts, sum.counts, {}, &SetCounts::sets, &SetCounts::sets);
    if (!same) {
      return differ(fmt::format("the set distances of {} differ in their ways or numbers of sets",
                                scope_text(sum.scope, sum.line)));
    }
    add(sum.touches, part->touches);
    for (std::size_t i = 0; i < sum.counts.size(); ++i) {
      for (std::size_t k = 0; k < access_kinds; ++k) {
        for (std::size_t d = 0; d < sum.ways; ++d) add(sum.counts[i].hits[k][d], part->counts[i].hits[k][d]);
        const auto& foreign = part->counts[i].foreign[k];
        if (foreign.empty()) continue;
        sum.counts[i].foreign[k].resize(sum.ways);
        for (std::size_t d = 0; d < sum.ways; ++d) add(sum.counts[i].foreign[k][d], foreign[d]);
      }
    }
  }
  return sum;
}

/// The parts of all inputs by scope and line.
template <class Part>
auto by_place(std::span<const Profile> inputs, std::vector<Part> Profile::* parts) {
  std::map<std::pair<Scope, LineSize>, std::vector<const Part*>> places;
  for (const Profile& input : inputs) {
    for (const Part& part : input.*parts) places[{part.scope, part.line}].push_back(&part);
  }
  return places;
}

void merge_provenance(std::span<const Profile> inputs, Profile& merged) {
  const auto is_common = [&](const auto& pair) {
    return !pair.first.starts_with("merge.") && std::ranges::all_of(inputs, [&](const Profile& input) {
      return std::ranges::find(input.provenance, pair) != input.provenance.end();
    });
  };
  for (const auto& pair : inputs[0].provenance) {
    if (is_common(pair)) merged.provenance.push_back(pair);
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    for (const auto& pair : inputs[i].provenance) {
      if (!is_common(pair)) merged.provenance.emplace_back(fmt::format("input{}.{}", i + 1, pair.first), pair.second);
    }
  }
}

void merge_general(std::span<const Profile> inputs, Profile& merged) {
  merged.sampling = inputs[0].sampling;
  merged.sampling.analysed = 0;
  std::map<ThreadId, KindCounts> threads;
  for (const Profile& input : inputs) {
    add(merged.instructions, input.instructions);
    add(merged.bytes, input.bytes);
    add(merged.sampling.analysed, input.sampling.analysed);
    add(merged.losses.lost_accesses, input.losses.lost_accesses);
    add(merged.losses.skipped_records, input.losses.skipped_records);
    merged.losses.truncated = merged.losses.truncated || input.losses.truncated;
    for (const ThreadCounts& t : input.threads) add(threads[t.thread], t.accesses);
  }
  if (std::ranges::any_of(inputs, [](const Profile& p) { return p.instructions == 0; })) merged.instructions = 0;
  for (const auto& [thread, accesses] : threads) merged.threads.push_back({thread, accesses});
}

}  // namespace

Result<Profile> merge(std::span<const Profile> inputs, MergeKind kind) {
  if (inputs.empty()) return failure(ErrorKind::usage, "there is nothing to merge", "", "name at least one profile");
  std::vector<Profile> parts(inputs.begin(), inputs.end());
  Profile merged;
  merged.provenance = {{"merge.kind", std::string(kind_words[static_cast<std::size_t>(kind)])},
                       {"merge.inputs", fmt::format("{}", inputs.size())}};
  bool dropped = false;
  std::uint64_t threads = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (auto form = check_form(parts[i]); !form) {
      form.error().where = fmt::format("input {}", i + 1);
      return std::unexpected(std::move(form).error());
    }
    if (kind == MergeKind::runs) continue;
    know_single_thread(parts[i]);
    if (kind == MergeKind::threads) {
      const bool had = drop_everything(parts[i]);
      dropped = dropped || had;
      if (had && parts[i].stacks.empty() && parts[i].sets.empty()) {
        return failure(
            ErrorKind::usage,
            fmt::format("input {} has several threads, but only the distances of everything, which cannot be merged",
                        i + 1),
            "", "record the distances of single threads too");
      }
    }
    const std::uint64_t count = renumber(parts[i], threads);
    if (count > 0) {
      merged.provenance.emplace_back(fmt::format("merge.input{}.threads", i + 1),
                                     fmt::format("{}-{}", threads, threads + count - 1));
    }
    threads += count;
    if (threads > std::numeric_limits<std::uint32_t>::max())
      return failure(ErrorKind::limit, "there are too many threads to number");
  }
  CACHESCAPE_CHECK(check_same_sampling(parts));
  CACHESCAPE_CHECK(check_same_analyses(parts));
  CACHESCAPE_CHECK(check_same_popularity(parts));
  if (dropped) {
    merged.provenance.emplace_back("merge.everything", "dropped: it depends on how the threads interleave");
  } else if (kind == MergeKind::ranks) {
    merged.provenance.emplace_back("merge.everything", "sum over the ranks, as if each had its caches to itself");
  }
  const bool shares = std::ranges::any_of(parts, [](const Profile& p) { return !p.sharing.empty(); });
  if (shares && kind == MergeKind::threads) {
    merged.provenance.emplace_back("merge.sharing", "dropped: it depends on how the threads interleave");
  }
  merge_provenance(parts, merged);
  merge_general(parts, merged);
  for (const auto& [place, stacks] : by_place(std::span<const Profile>(parts), &Profile::stacks)) {
    merged.stacks.push_back(sum_of(std::span(stacks)));
  }
  for (const auto& [place, sets] : by_place(std::span<const Profile>(parts), &Profile::sets)) {
    CACHESCAPE_TRY(SetProfile sum, sum_of(std::span(sets)));
    merged.sets.push_back(std::move(sum));
  }
  CACHESCAPE_TRY(MergedPlaces places, merge_places(parts, kind));
  CACHESCAPE_TRY(merged.sharing, merge_sharing(parts, kind, places.numbers));
  CACHESCAPE_TRY(merged.signatures, merge_signatures(parts, places.numbers));
  merged.places = std::move(places.places);
  CACHESCAPE_CHECK(check_form(merged));
  return merged;
}

}  // namespace cachescape::profile
