// The LRU stack of a cache from which others may take lines: every size at once.
//
// A line that is taken away leaves a hole: caches of every size that held it have a free place. A touch of a deeper
// line fills the topmost hole above it. Caches that end between the two have fetched the line without evicting any;
// larger ones held it all along and still have their free place, which is now where the line was. So the hole moves
// there. A line from outside fills the topmost hole for good. docs/design/coherence.md proves that a cache of C lines
// holds what is less than C deep.
//
// Holes are lines that nobody touches; the stack is that of StackDistances. Time: that of StackDistances while no hole
// is above the lines touched, else a look-up more, and O(log holes) where one moves. An instance belongs to one thread
// at a time. The naive twin is hole_stack_naive.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "analyze/distance/stack_distances.hpp"
#include "cachescape/quantity.hpp"

namespace cachescape::analyze {

class HoleStack {
 public:
  /// Lines from here on are holes.
  static constexpr std::uint64_t first_hole = std::uint64_t{1} << 40;

  /// For each line touched, in order, how deep it was: lines and holes above it. cold_distance where it was not there.
  /// Preconditions: lines are below first_hole; depths.size() == lines.size().
  void touch(std::span<const Line> lines, std::span<std::uint32_t> depths);
  /// How deep a line is; cold_distance where it is not there.
  std::uint32_t depth(Line line) const { return stack_.distance(line); }
  /// Takes a line away. Precondition: it is there.
  void take(Line line);

  /// Lines and holes from the bottom to the top.
  std::vector<Line> recency_order() const {
    return stack_.recency_order([](Line) { return true; });
  }

  std::uint64_t memory_bytes() const {
    return stack_.memory_bytes() + (holes_.capacity() + free_.capacity()) * sizeof(Line);
  }

 private:
  bool under_a_hole(Line line) const { return stack_.recency(line) < stack_.recency(holes_.front()); }
  std::uint32_t touch_under_a_hole(Line line);
  void push_hole(Line hole);
  Line pop_topmost_hole();

  StackDistances stack_;
  std::vector<Line> holes_;  ///< a heap, the topmost first
  std::vector<Line> free_;   ///< numbers of holes that were filled
};

}  // namespace cachescape::analyze
