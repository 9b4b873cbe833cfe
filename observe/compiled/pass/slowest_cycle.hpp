// How long iterations of a loop wait for loads of those before them, by what they hand to each other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cachescape::pass {

/// What carrier `to` is in the next iteration is computed from what carrier `from` is in this one, through so many
/// loads whose addresses depend on each other.
struct CarriedPath {
  std::size_t from = 0;
  std::size_t to = 0;
  std::uint32_t loads = 0;
};

/// Loads that have to happen one after the other, in so many iterations. 0 loads: none have to.
struct LoadRate {
  std::int64_t loads = 0;
  std::int64_t iterations = 1;

  friend constexpr bool operator<(const LoadRate& a, const LoadRate& b) {
    return a.loads * b.iterations < b.loads * a.iterations;
  }
  friend constexpr bool operator==(const LoadRate& a, const LoadRate& b) {
    return a.loads * b.iterations == b.loads * a.iterations;
  }
};

/// The largest mean of loads over all cycles of carriers (Karp, A characterization of the minimum cycle mean in a
/// digraph, 1978). O(carriers × paths).
LoadRate slowest_cycle(std::size_t carriers, const std::vector<CarriedPath>& paths);

}  // namespace cachescape::pass
