#include "model/level_view.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "model/confidence.hpp"
#include "model/kind_counts.hpp"
#include "model/placement.hpp"

namespace cachescape::model {
namespace {

std::string listed(const std::vector<LineSize>& lines, const char* between, const char* before_last) {
  std::string text;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i > 0) text += i + 1 == lines.size() ? before_last : between;
    text += fmt::format("{}", lines[i].bytes().value);
  }
  return text;
}

std::unexpected<Error> missing_line(const Streams& streams, const LevelPlace& place, std::string_view who) {
  const LineSize line = place.line;
  const std::vector<LineSize>& there = streams.recorded_line_sizes();
  std::vector<LineSize> wanted = there;
  wanted.push_back(line);
  wanted.insert(wanted.end(), place.lines_of_others.begin(), place.lines_of_others.end());
  std::ranges::sort(wanted);
  wanted.erase(std::ranges::unique(wanted).begin(), wanted.end());
  return failure(
      ErrorKind::unsupported,
      fmt::format("{} has {}-byte lines, for which the profile has no stack distances; it has {}", who,
                  line.bytes().value,
                  there.empty() ? "none at all" : fmt::format("those of {}-byte lines", listed(there, ", ", " and "))),
      {}, fmt::format("record the program again with --lines {}", listed(wanted, ",", ",")));
}

KindCounts hits(const StreamModel& stream, std::uint64_t sets, std::uint64_t ways) {
  KindCounts hits = stream.curve().touches();
  const KindCounts misses = stream.misses(sets, ways).misses;
  for (std::size_t k = 0; k < access_kinds; ++k) hits[k] -= misses[k];
  return hits;
}

std::uint64_t accesses_of(const Streams& streams, const std::vector<std::size_t>& threads) {
  std::uint64_t n = 0;
  for (const std::size_t t : threads) n += sum(streams.threads()[t].accesses);
  return n;
}

/// What the first thread wrote before there were others is known to coherent caches from its own distances only.
bool follows_write_backs(const Streams& streams, LineSize line) {
  const StreamModel* first = streams.find({Scope::Kind::thread, streams.threads().front().thread}, line);
  if (first == nullptr) first = streams.find({}, line);
  return first == nullptr || first->knows_write_backs();
}

}  // namespace

Result<LevelView> LevelView::of(const Streams& streams, const LevelPlace& place, std::string_view who) {
  const auto instances = threads_by_instance(streams.threads().size(), place.cores, place.shared_by);
  const Meeting meeting = meeting_of(instances);
  LevelView view;
  view.instances_ = instances.size();

  if (place.others == LevelPlace::Others::take_by_writing && meeting != Meeting::all) {
    view.coherent_ = streams.find_coherent(place.shared_by, place.line);
    if (view.coherent_ != nullptr) {
      // Profiles know of threads in a row, not of those that take turns on a core.
      if (place.cores != 0 && place.cores < streams.threads().size()) {
        view.approximation_ = fmt::format("{} threads are more than {} cores: each is judged as if it had its own",
                                          streams.threads().size(), place.cores);
      }
      view.touches_ = view.coherent_->touches();
      view.cold_ = view.coherent_->cold();
      view.lacks_write_backs_ = !follows_write_backs(streams, place.line);
      return view;
    }
  }
  bool by_thread = meeting != Meeting::all;
  for (const auto& members : instances) {
    if (!by_thread) break;
    const std::uint64_t together = accesses_of(streams, members);
    for (const std::size_t t : members) {
      const ThreadCounts& thread = streams.threads()[t];
      const StreamModel* stream = streams.find({Scope::Kind::thread, thread.thread}, place.line);
      if (stream == nullptr) {
        by_thread = false;
        break;
      }
      const std::uint64_t own = sum(thread.accesses);
      view.parts_.push_back({stream, own > 0 ? static_cast<double>(together) / static_cast<double>(own) : 1});
    }
  }
  if (place.others == LevelPlace::Others::take_by_touching && by_thread && meeting == Meeting::one) {
    for (const ThreadCounts& thread : streams.threads()) {
      if (const StreamModel* own = streams.find_foreign({Scope::Kind::thread, thread.thread}, place.line))
        view.invalid_.push_back(own);
    }
    view.shared_ = streams.find_foreign({}, place.line);
  }
  if (by_thread && meeting == Meeting::some) {
    view.approximation_ =
        "several threads, but not all, share an instance: each thread's distances are stretched by the others' share "
        "of "
        "the accesses";
  }
  if (!by_thread) {
    const StreamModel* stream = streams.find({}, place.line);
    if (stream == nullptr) return missing_line(streams, place, who);
    view.parts_ = {{stream, 1}};
    if (meeting != Meeting::all) {
      view.parts_.front().stretch = 1 / static_cast<double>(instances.size());
      view.approximation_ = fmt::format(
          "the profile has no distances by thread at {}-byte lines: its {} instances are judged as one cache with the "
          "lines of all",
          place.line.bytes().value, instances.size());
    }
  }
  for (const Part& part : view.parts_) {
    add(view.touches_, part.stream->curve().touches());
    add(view.cold_, part.stream->curve().cold());
  }
  return view;
}

StreamModel::Estimate LevelView::misses(std::uint64_t sets, std::uint64_t ways) const {
  if (coherent_ != nullptr) {
    const CoherentModel::Estimate all = coherent_->misses(sets, ways);
    return {all.misses, all.method};
  }
  StreamModel::Estimate all{{}, Method::exact_set_distance};
  for (const Part& part : parts_) {
    const StreamModel::Estimate one = part.stream->misses(sets, ways, part.stretch);
    add(all.misses, one.misses);
    all.method = std::max(all.method, one.method);
  }
  if (shared_ != nullptr) {
    for (const StreamModel* own : invalid_) add(all.misses, hits(*own, sets, ways));
    const KindCounts found = hits(*shared_, sets, ways * instances_);
    for (std::size_t k = 0; k < access_kinds; ++k) all.misses[k] -= std::min(all.misses[k], found[k]);
  }
  return all;
}

std::array<KindCounts, sharing_kinds> LevelView::lost(std::uint64_t sets, std::uint64_t ways) const {
  return coherent_ != nullptr ? coherent_->misses(sets, ways).lost : std::array<KindCounts, sharing_kinds>{};
}

KindCounts LevelView::fully_associative_misses(std::uint64_t lines) const {
  if (knows_others()) return misses(1, lines).misses;
  KindCounts all{};
  for (const Part& part : parts_) add(all, part.stream->fully_associative_misses(lines, part.stretch));
  return all;
}

std::optional<StreamModel::WriteBacks> LevelView::write_backs(std::uint64_t sets, std::uint64_t ways) const {
  if (lacks_write_backs_) return std::nullopt;
  if (coherent_ != nullptr) return coherent_->write_backs(sets, ways);
  StreamModel::WriteBacks all{0, true};
  for (const Part& part : parts_) {
    const auto one = part.stream->write_backs(sets, ways, part.stretch);
    if (!one) return std::nullopt;
    all.count += one->count;
    all.exact = all.exact && one->exact;
  }
  return all;
}

double LevelView::miss_variance(std::uint64_t sets, std::uint64_t ways) const {
  double variance = 0;
  for (const Part& part : parts_) {
    variance += model::miss_variance(*part.stream, sets, ways, part.stretch);
  }
  return variance;
}

std::string LevelView::why_sdcm(std::uint64_t sets, std::uint64_t ways) const {
  if (misses(sets, ways).method != Method::sdcm) return {};
  const StreamModel& stream = coherent_ != nullptr ? coherent_->kept() : *parts_.front().stream;
  if (stream.scaling().by_lines()) return "set distances cannot be known from a sample of lines";
  if (coherent_ == nullptr && parts_.front().stretch != 1)
    return "set distances of several threads together were not recorded";
  const std::vector<std::uint64_t> counts = stream.exact_set_counts();
  if (counts.empty()) return "the profile has no set distances at this line size";
  if (std::ranges::find(counts, sets) == counts.end()) {
    return fmt::format("the profile has no set distances for {} sets (record with --sets {})", sets, sets);
  }
  return fmt::format("the profile's set distances reach {} ways, not {}", stream.exact_ways(), ways);
}

}  // namespace cachescape::model
