// Which caches set distances are to be known for.
#pragma once

#include <cstdint>
#include <vector>

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

/// Says what is wrong with a grid that cannot be taken.
Result<void> check(const SetGrid& grid);

}  // namespace cachescape::analyze
