// Which values that loop iterations hand to each other make them wait for loads, and how long.
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

struct Recurrence {
  LoadRate rate;
  std::vector<std::size_t> carriers;  ///< those that depend on each other in it, ascending; none at a rate of 0
};

/// The slowest one: the largest mean of loads over all cycles of carriers (Karp, A characterization of the minimum
/// cycle mean in a digraph, 1978), and the strongly connected carriers that the cycle belongs to. O(carriers × paths).
Recurrence slowest_recurrence(std::size_t carriers, const std::vector<CarriedPath>& paths);

}  // namespace cachescape::pass
