// Set distances of one line size for every power-of-two number of sets at once.
//
// The set distance D_s of a touch is the stack distance counted only among the lines of its set, for s
// sets (index = line number mod s): the number of distinct other lines of the same set touched since the
// last touch of this line. A W-way LRU cache with s sets hits iff D_s < W, so the histograms below give the
// exact hits and misses of every such cache of the grid after one pass.
//
// Method: MRU-ordered tags per set, walked from few sets to many and left at the first set where the line
// is already the most recent one (set refinement: Hill and Smith, "Evaluating Associativity in CPU Caches",
// IEEE Trans. Computers 38(12), 1989). docs/design/set-distance.md says how and why it is exact.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "cachescape/quantity.hpp"
#include "cachescape/result.hpp"

namespace cachescape::analyze {

/// The caches to be known: set counts 2^min_log2_sets … 2^max_log2_sets, and any other set counts by name.
struct SetGrid {
  static constexpr unsigned highest_log2_sets = 20;
  static constexpr unsigned highest_ways = 32;
  static constexpr std::uint64_t highest_other_sets = std::uint64_t{1} << 22;

  unsigned min_log2_sets = 0;
  unsigned max_log2_sets = 16;
  unsigned ways = 16;  ///< 1 … 32; up to 16 cost the same, and so do 17 to 32
  /// Exact set counts outside the grid, any number ≥ 1; each costs about as much as one simulation.
  std::vector<std::uint64_t> other_set_counts{};
};

/// Says what is wrong with a grid that SetDistances cannot take.
Result<void> check(const SetGrid& grid);

/// Which machine code does the work. The numbers are the same.
enum class SetPath : std::uint8_t {
  automatic,  ///< AVX2 where the processor has it
  portable,
  avx2,  ///< the portable path where the processor has no AVX2
};

/// Consumes touches and accumulates histograms of set distances.
///
/// Every number is exact for all 64-bit line numbers and does not depend on how the touches are cut into
/// process() calls. One object is used by one thread at a time; objects share nothing.
/// Time per touch: O(set counts whose distance is not 0) and at most one cache line per 16 ways and set
/// count; a touch of the line just touched before costs next to nothing. Memory: see memory_bytes().
/// Throws std::bad_alloc where memory runs out.
class SetDistances {
 public:
  /// Preconditions: check(grid) holds; 1 <= groups <= 65536.
  SetDistances(SetGrid grid, std::size_t groups, SetPath path = SetPath::automatic);
  SetDistances(SetDistances&&) noexcept;
  SetDistances& operator=(SetDistances&&) noexcept;
  ~SetDistances();

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
  std::vector<std::uint64_t> histogram(std::uint64_t sets, std::uint16_t group = 0) const;

  /// Weighted touches of a group.
  std::uint64_t touches(std::uint16_t group = 0) const;

  const SetGrid& grid() const;
  std::size_t groups() const;
  /// Memory held, as reserved; pages that no set has used yet are not resident.
  std::uint64_t memory_bytes() const;

 private:
  class Engine;
  std::unique_ptr<Engine> engine_;
};

}  // namespace cachescape::analyze
