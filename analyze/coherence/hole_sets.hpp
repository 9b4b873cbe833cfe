// The sets of caches from which others may take lines: all powers of two of sets at once, up to so many ways.
//
// Each set is a short hole_stack.hpp: its lines in the order of use, holes among them. A line that is the last one
// touched in its set is so in every finer division too, where nothing changes either: the walk ends there. How a set is
// kept and touched is in hole_set_walk.hpp, for any processor and for AVX2.
//
// Time: a few dozen instructions per set count with AVX2, O(ways) without. Memory: 5 bytes per line of all caches,
// committed as it is used. An instance belongs to one thread at a time. Tested against the naive twin of the stack, set
// by set.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "analyze/coherence/hole_set_walk.hpp"
#include "analyze/distance/last_touch_memory.hpp"
#include "cachescape/access.hpp"
#include "cachescape/quantity.hpp"

namespace cachescape::analyze {

class HoleSets {
 public:
  static constexpr unsigned most_log2_sets = HoleSetLayout::most_levels - 1;
  static constexpr unsigned most_ways = 64;

  /// Which machine code does the work. Both give the same numbers.
  enum class Path : std::uint8_t { automatic, portable };
  /// Preconditions: max_log2_sets ≤ most_log2_sets, 1 ≤ ways ≤ most_ways.
  HoleSets(unsigned max_log2_sets, unsigned ways, Path path = Path::automatic);

  /// A touch of a line, which has a number of its own from 1 on, by an access of some kind.
  void touch(Line line, std::uint32_t number, AccessKind kind) {
    const auto k = static_cast<std::size_t>(kind);
    Depths depths;
    const unsigned last = walk_.touch(layout_, line.value, number, depths.data());
    if (last < layout_.levels) ++last_from_[k][last];
    for (unsigned level = 0; level < last; ++level)
      ++depths_[(level * access_kinds + k) * (layout_.ways + 1) + depths[level]];
  }
  /// As touch(), but nothing is counted.
  void reorder(Line line, std::uint32_t number) {
    Depths depths;
    walk_.touch(layout_, line.value, number, depths.data());
  }
  /// Brings the line's sets nearer to the processor.
  void prefetch(Line line) const {
    // Those of coarser divisions are there.
    constexpr unsigned first_far = 6;
    for (unsigned level = first_far; level < layout_.levels; ++level) {
      const std::uint32_t* const numbers = layout_.numbers(level, line.value);
      for (unsigned i = 0; i < layout_.slots; i += 16) __builtin_prefetch(numbers + i, 1);
      __builtin_prefetch(layout_.ranks(level, line.value), 1);
    }
  }
  /// More touches of the line touched last.
  void again(AccessKind kind, std::uint64_t times) { last_from_[static_cast<std::size_t>(kind)][0] += times; }

  /// By the logarithm of the number of sets, how deep a line is in its set; `ways()` where it is not there.
  using Depths = std::array<std::uint8_t, most_log2_sets + 1>;
  /// Takes the line away.
  Depths take(Line line, std::uint32_t number);

  unsigned levels() const { return layout_.levels; }
  unsigned ways() const { return layout_.ways; }
  /// Touches of lines at each depth below ways(), by kind.
  std::array<std::vector<std::uint64_t>, access_kinds> hits(unsigned level) const;
  std::uint64_t memory_bytes() const;

 private:
  Mapping memory_;
  HoleSetLayout layout_;
  HoleSetWalk walk_;
  std::vector<std::uint64_t> depths_;  ///< touches by level, kind and depth; those of lines that were not there too
  /// By kind: touches of the line last touched in its set, from this level on.
  std::array<std::array<std::uint64_t, most_log2_sets + 1>, access_kinds> last_from_{};
};

}  // namespace cachescape::analyze
