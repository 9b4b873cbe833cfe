// The sets of caches from which others may take lines: all powers of two of sets at once, up to so many ways.
//
// Each set is a short hole_stack.hpp: its lines in the order of use, holes among them. A line that is the last one
// touched in its set is so in every finer division too, where nothing changes either: the walk ends there.
//
// Time: O(set counts × ways) at most. Memory: 4 bytes per line of all caches, committed as it is used. An instance
// belongs to one thread at a time. Tested against the naive twin of the stack, set by set.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "analyze/distance/last_touch_memory.hpp"
#include "cachescape/access.hpp"
#include "cachescape/quantity.hpp"

namespace cachescape::analyze {

class HoleSets {
 public:
  static constexpr unsigned most_log2_sets = 24;
  static constexpr unsigned most_ways = 64;

  /// Preconditions: max_log2_sets ≤ most_log2_sets, 1 ≤ ways ≤ most_ways.
  HoleSets(unsigned max_log2_sets, unsigned ways);

  /// A touch of a line, which has a number of its own from 1 on, by an access of some kind.
  void touch(Line line, std::uint32_t number, AccessKind kind) {
    const std::size_t k = static_cast<std::size_t>(kind);
    for (unsigned level = 0; level < levels_; ++level) {
      const unsigned depth = touch_at(level, line, number);
      if (depth == 0) {
        ++last_from_[k][level];
        return;
      }
      if (depth < ways_) ++hits_[(level * access_kinds + k) * ways_ + depth];
    }
  }
  /// More touches of the line touched last.
  void again(AccessKind kind, std::uint64_t times) { last_from_[static_cast<std::size_t>(kind)][0] += times; }

  /// By the logarithm of the number of sets, how deep a line is in its set; `ways()` where it is not there.
  using Depths = std::array<std::uint8_t, most_log2_sets + 1>;
  /// Takes the line away.
  Depths take(Line line, std::uint32_t number);

  unsigned levels() const { return levels_; }
  unsigned ways() const { return ways_; }
  /// Touches of lines at each depth below ways(), by kind.
  std::array<std::vector<std::uint64_t>, access_kinds> hits(unsigned level) const;
  std::uint64_t memory_bytes() const;

 private:
  static constexpr std::uint32_t hole = 0xffffffff;

  std::uint32_t* set_of(unsigned level, Line line) const {
    return tags_[level] + (line.value & ((std::uint64_t{1} << level) - 1)) * ways_;
  }
  unsigned touch_at(unsigned level, Line line, std::uint32_t number);

  unsigned levels_;
  unsigned ways_;
  Mapping memory_;
  std::vector<std::uint32_t*> tags_;  ///< by level; 0 = never used
  std::vector<std::uint64_t> hits_;   ///< by level, kind, depth above 0
  /// By kind: touches of the line last touched in its set, from this level on.
  std::array<std::array<std::uint64_t, most_log2_sets + 1>, access_kinds> last_from_{};
};

}  // namespace cachescape::analyze
