// How many loads of a region have to wait for each other: within an iteration, and from each iteration to the next.
#pragma once

#include <cstdint>
#include <vector>

#include "observe/compiled/pass/load_graph.hpp"
#include "observe/compiled/pass/slowest_cycle.hpp"

namespace cachescape::pass {

struct LoadChains {
  /// Loads on the longest path of an iteration on which each needs the one before for its address.
  std::uint32_t longest = 0;
  /// Loads per iteration on the slowest path that goes from iteration to iteration.
  LoadRate carried;
  /// What an execution of each block adds to that path. Blocks that exclude each other each have their own share, so
  /// that a way that leaves steps out takes less. Two conditional blocks on one way that have the same step both count
  /// it, which makes more of it than there is.
  std::vector<double> carried_by_block;
};

/// Values of which more are handed on together than these are taken to wait in each iteration for all steps of the
/// last.
inline constexpr std::size_t most_carriers = 64;

/// O(most_carriers × graph).
LoadChains load_chains(const LoadGraph& graph);

}  // namespace cachescape::pass
