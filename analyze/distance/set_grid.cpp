#include "analyze/distance/set_grid.hpp"

#include <fmt/format.h>

namespace cachescape::analyze {

Result<void> check(const SetGrid& grid) {
  if (grid.max_log2_sets > SetGrid::highest_log2_sets) {
    return failure(ErrorKind::usage, fmt::format("the largest set count is 2^{}, expected at most 2^{}",
                                                 grid.max_log2_sets, SetGrid::highest_log2_sets));
  }
  if (grid.min_log2_sets > grid.max_log2_sets) {
    return failure(ErrorKind::usage, fmt::format("the smallest set count 2^{} is above the largest, 2^{}",
                                                 grid.min_log2_sets, grid.max_log2_sets));
  }
  if (grid.ways < 1 || grid.ways > SetGrid::highest_ways) {
    return failure(ErrorKind::usage,
                   fmt::format("the number of ways is {}, expected 1 to {}", grid.ways, SetGrid::highest_ways));
  }
  for (const std::uint64_t sets : grid.other_set_counts) {
    if (sets < 1 || sets > SetGrid::highest_other_sets) {
      return failure(ErrorKind::usage, fmt::format("the set count {} was asked for, expected 1 to {}", sets,
                                                   SetGrid::highest_other_sets));
    }
  }
  return {};
}

}  // namespace cachescape::analyze
