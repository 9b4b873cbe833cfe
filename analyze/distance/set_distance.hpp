// Set distances of one line size for every power-of-two number of sets at once, and for others by name.
//
// The set distance D_s of a touch is the stack distance counted only among the lines of its set, for s
// sets (index = line number mod s): the number of distinct other lines of the same set touched since the
// last touch of this line. A W-way LRU cache with s sets hits iff D_s < W, so the histograms below give the
// exact hits and misses of every such cache of the grid after one pass.
//
// Made of a front (front.hpp), what is behind it (far_sets.hpp), and other_sets.hpp. Analyses that want stack distances
// too put these together themselves, with one front for all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "analyze/distance/far_sets.hpp"
#include "analyze/distance/front.hpp"
#include "analyze/distance/instruction_set.hpp"
#include "analyze/distance/other_sets.hpp"
#include "analyze/distance/set_grid.hpp"
#include "cachescape/quantity.hpp"

namespace cachescape::analyze {

/// Consumes touches and accumulates histograms of set distances.
///
/// Every number is exact for all 64-bit line numbers and does not depend on how the touches are cut into
/// process() calls. One object is used by one thread at a time; objects share nothing.
/// Time per touch: O(set counts whose distance is not 0) and at most one cache line per 16 ways and set
/// count; a touch of the line just touched before costs next to nothing. Memory: see memory_bytes().
/// Throws std::bad_alloc where memory runs out.
class SetDistances {
 public:
  /// Preconditions: check(grid) holds; 1 <= groups <= 8.
  SetDistances(const SetGrid& grid, std::size_t groups, InstructionSet path = InstructionSet::automatic);

  /// Touch i is added to the histograms of group groups[i] (kind, thread, …) and counted weights[i] times,
  /// though it happens once: 0 makes a touch that changes state but no histogram.
  /// Empty groups: all in group 0. Empty weights: all 1.
  /// Preconditions: each span is empty or as long as `lines`; every group is below the number of groups.
  void process(std::span<const Line> lines, std::span<const std::uint16_t> groups = {},
               std::span<const std::uint32_t> weights = {});

  /// counts[d] for d < ways: touches with D_s == d. counts[ways]: all others, farther or cold, which are
  /// exactly the misses of a cache of `ways` ways; a w-way cache misses touches − Σ_{d<w} counts[d] times.
  /// Cold touches are told apart by the stack distances of the same stream.
  /// Empty where `sets` is no set count of the grid. Precondition: group < number of groups.
  std::vector<std::uint64_t> histogram(std::uint64_t sets, std::uint16_t group = 0);

  /// Weighted touches of a group.
  std::uint64_t touches(std::uint16_t group = 0);

  const SetGrid& grid() const { return far_.grid(); }
  /// Memory held, as reserved; pages that no set has used yet are not resident.
  std::uint64_t memory_bytes() const;

 private:
  Front front_;
  FarSets far_;
  OtherSets others_;
};

}  // namespace cachescape::analyze
