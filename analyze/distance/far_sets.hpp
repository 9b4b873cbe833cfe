// Set distances of touches that were not found in a front (front.hpp), for every power-of-two number of sets at once.
//
// Method: tags per set in the order of their last touches, walked from few sets to many and left at the first set
// where the line is already the most recent one (set refinement: Hill and Smith, "Evaluating Associativity in CPU
// Caches", IEEE Trans. Computers 38(12), 1989). docs/design/set-distance.md says how and why it is exact.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "analyze/distance/front_state.hpp"
#include "analyze/distance/instruction_set.hpp"
#include "analyze/distance/set_grid.hpp"
#include "cachescape/quantity.hpp"

namespace cachescape::analyze {

/// Columns as those of FarTouches.
struct EnteringLines {
  std::span<const Line> line;
  std::span<const Line> left;
  std::span<const std::uint64_t> demotion;
  std::span<const std::uint16_t> group;
  std::span<const std::uint32_t> weight;

  EnteringLines part(std::size_t from, std::size_t count) const {
    return {line.subspan(from, count), left.subspan(from, count), demotion.subspan(from, count),
            group.subspan(from, count), weight.subspan(from, count)};
  }
};

inline EnteringLines entering_lines(const FarTouches& far) {
  return {{far.line, far.count},
          {far.left, far.count},
          {far.demotion, far.count},
          {far.group, far.count},
          {far.weight, far.count}};
}

/// Every number is exact for all 64-bit line numbers. One object is used by one thread at a time; objects share
/// nothing. Time per touch: O(set counts whose distance is not 0), and at most one cache line per 16 ways and set
/// count. Throws std::bad_alloc where memory runs out.
class FarSets {
 public:
  /// Preconditions: check(grid) holds; groups is at most that of fronts. Other set counts are not looked at.
  FarSets(const SetGrid& grid, std::size_t groups, InstructionSet path = InstructionSet::automatic);
  FarSets(FarSets&&) noexcept;
  FarSets& operator=(FarSets&&) noexcept;
  ~FarSets();

  /// A weight of 0 makes a touch that changes state but no histogram.
  void enter(const EnteringLines& entering);

  /// counts[d]: far touches of a group at this distance for 2^level sets, for as many distances as are followed: 16 or
  /// 32. Precondition: the level is one of the grid's.
  std::vector<std::uint64_t> hits(unsigned level, std::size_t group) const;
  /// Weighted far touches of a group.
  std::uint64_t touches(std::size_t group) const;

  const SetGrid& grid() const;
  /// Address space held; pages that were never touched count, though they take no memory.
  std::uint64_t memory_bytes() const;

 private:
  class Engine;
  std::unique_ptr<Engine> engine_;
};

}  // namespace cachescape::analyze
