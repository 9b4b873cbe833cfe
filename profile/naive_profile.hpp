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

 private:
  std::vector<Line> lines_;
};

struct NaivePlan {
  std::vector<LineSize> lines = {LineSize{5}, LineSize{6}};
  std::vector<std::uint64_t> sets = {1, 2, 4, 8};
  std::uint32_t ways = 4;
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
  for (const Access& a : accesses) {
    if (scope.kind == Scope::Kind::thread && a.thread != scope.thread) continue;
    const auto kind = static_cast<std::size_t>(a.kind);
    const Touches touches = touches_of(a.address, a.size, size);
    for (std::uint64_t l = touches.first.value; l <= touches.last.value; ++l) {
      ++sets.touches[kind];
      ++touches_of_line[Line{l}];
      if (const auto distance = list_of_set[0].touch(Line{l})) {
        ++histogram[kind][*distance];
      } else {
        ++stack.kinds[kind].cold;
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
  profile.sampling.analysed = accesses.size();
  return profile;
}

}  // namespace cachescape::profile
