// A profile by definition: an LRU list per scope, line size and set. For tests, which need profiles that are true.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "cachescape/access.hpp"
#include "cachescape/profile.hpp"
#include "profile/naive_sharing.hpp"

namespace cachescape::profile {

class NaiveStack {
 public:
  /// The stack distance of this touch; nothing for a first one. O(lines).
  std::optional<std::uint64_t> touch(Line line) {
    const auto found = std::ranges::find(lines_, line);
    std::optional<std::uint64_t> distance;
    if (found != lines_.end()) {
      distance = static_cast<std::uint64_t>(found - lines_.begin());
      lines_.erase(found);
    }
    lines_.insert(lines_.begin(), line);
    return distance;
  }

  /// Lines touched after this one.
  std::uint64_t above(Line line) const {
    return static_cast<std::uint64_t>(std::ranges::find(lines_, line) - lines_.begin());
  }

 private:
  std::vector<Line> lines_;
};

/// A touch of a line that was touched before, or the end of the stream.
struct NaiveReturn {
  std::uint64_t distance = 0;
  bool writes = false;
};

/// For each write of a line the greatest distance until the next, given what happened to the line after its first
/// touch.
inline void count_write_backs(bool first_writes, std::span<const NaiveReturn> returns,
                              std::map<std::uint64_t, std::uint64_t>& counts) {
  for (std::size_t write = 0; write <= returns.size(); ++write) {
    if (!(write == 0 ? first_writes : returns[write - 1].writes)) continue;
    std::uint64_t greatest = 0;
    for (std::size_t i = write; i < returns.size(); ++i) {
      greatest = std::max(greatest, returns[i].distance);
      if (returns[i].writes) break;
    }
    ++counts[greatest];
  }
}

struct NaivePlan {
  std::vector<LineSize> lines = {LineSize{5}, LineSize{6}};
  std::vector<std::uint64_t> sets = {1, 2, 4, 8};
  std::uint32_t ways = 4;
  std::vector<LineSize> write_back_lines = {LineSize{6}};
  std::vector<std::uint32_t> degrees =
      {};  ///< of sharing, with the last line size, followed where there are more threads
};

inline std::vector<Bin> bins_of(const std::map<std::uint64_t, std::uint64_t>& counts) {
  std::vector<Bin> bins;
  for (const auto& [value, count] : counts) bins.push_back({value, count});
  return bins;
}

inline void analyse(std::span<const Access> accesses, Scope scope, LineSize size, const NaivePlan& plan,
                    Profile& profile) {
  StackProfile stack{scope, size, {}, 0, {}};
  SetProfile sets{scope, size, plan.ways, {}, {}};
  for (const std::uint64_t n : plan.sets) {
    SetCounts& counts = sets.counts.emplace_back();
    counts.sets = n;
    for (auto& hits : counts.hits) hits.resize(plan.ways);
  }
  std::map<std::uint64_t, NaiveStack> list_of_set;
  std::map<std::pair<std::uint64_t, std::uint64_t>, NaiveStack> lists_of_sets;
  std::array<std::map<std::uint64_t, std::uint64_t>, access_kinds> histogram;
  std::map<Line, std::uint64_t> touches_of_line;
  std::map<Line, std::pair<bool, std::vector<NaiveReturn>>> history;
  for (const Access& a : accesses) {
    if (scope.kind == Scope::Kind::thread && a.thread != scope.thread) continue;
    const auto kind = static_cast<std::size_t>(a.kind);
    const Touches touches = touches_of(a.address, a.size, size);
    for (std::uint64_t l = touches.first.value; l <= touches.last.value; ++l) {
      ++sets.touches[kind];
      ++touches_of_line[Line{l}];
      if (const auto distance = list_of_set[0].touch(Line{l})) {
        ++histogram[kind][*distance];
        history[Line{l}].second.push_back({*distance, writes(a.kind)});
      } else {
        ++stack.kinds[kind].cold;
        history[Line{l}].first = writes(a.kind);
      }
      for (SetCounts& counts : sets.counts) {
        const auto distance = lists_of_sets[{counts.sets, l % counts.sets}].touch(Line{l});
        if (distance && *distance < plan.ways) ++counts.hits[kind][*distance];
      }
    }
  }
  for (std::size_t k = 0; k < access_kinds; ++k) stack.kinds[k].bins = bins_of(histogram[k]);
  stack.footprint_lines = touches_of_line.size();
  std::map<std::uint64_t, std::uint64_t> popularity;
  for (const auto& [line, touches] : touches_of_line) ++popularity[touches];
  stack.popularity = bins_of(popularity);
  if (std::ranges::find(plan.write_back_lines, size) != plan.write_back_lines.end()) {
    std::map<std::uint64_t, std::uint64_t> write_backs;
    for (auto& [line, events] : history) {
      events.second.push_back({list_of_set[0].above(line), false});
      count_write_backs(events.first, events.second, write_backs);
    }
    stack.write_backs = bins_of(write_backs);
  }
  profile.stacks.push_back(std::move(stack));
  profile.sets.push_back(std::move(sets));
}

inline Profile naive_profile(std::span<const Access> accesses, const NaivePlan& plan = {}) {
  Profile profile;
  std::map<ThreadId, KindCounts> threads;
  for (const Access& a : accesses) {
    ++threads[a.thread][static_cast<std::size_t>(a.kind)];
    profile.bytes += a.size;
  }
  std::vector<Scope> scopes = {Scope{}};
  for (const auto& [thread, counts] : threads) {
    profile.threads.push_back({thread, counts});
    scopes.push_back({Scope::Kind::thread, thread});
  }
  for (const Scope& scope : scopes) {
    for (const LineSize line : plan.lines) analyse(accesses, scope, line, plan, profile);
  }
  for (const std::uint32_t degree : plan.degrees) {
    if (profile.threads.size() <= degree) continue;
    const std::uint64_t lines = profile.stacks[plan.lines.size() - 1].footprint_lines;
    const NaiveGrid grid{plan.lines.back(), plan.sets, plan.ways};
    profile.sharing.degrees.push_back(naive_coherent_profile(accesses, degree, lines, grid));
  }
  profile.sampling.analysed = accesses.size();
  return profile;
}

}  // namespace cachescape::profile
