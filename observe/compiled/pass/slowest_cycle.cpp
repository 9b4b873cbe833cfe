#include "observe/compiled/pass/slowest_cycle.hpp"

#include <algorithm>

namespace cachescape::pass {

LoadRate slowest_cycle(std::size_t carriers, const std::vector<CarriedPath>& paths) {
  constexpr std::int64_t no_walk = -1;
  // most[k][v]: loads on the best walk of k steps that ends at v, wherever it began.
  std::vector<std::vector<std::int64_t>> most(carriers + 1, std::vector<std::int64_t>(carriers, no_walk));
  std::ranges::fill(most[0], 0);
  for (std::size_t k = 0; k < carriers; ++k) {
    for (const CarriedPath& path : paths) {
      if (most[k][path.from] != no_walk)
        most[k + 1][path.to] = std::max(most[k + 1][path.to], most[k][path.from] + path.loads);
    }
  }
  LoadRate largest;
  for (std::size_t v = 0; v < carriers; ++v) {
    if (most[carriers][v] == no_walk) continue;
    LoadRate least{most[carriers][v], static_cast<std::int64_t>(carriers)};
    for (std::size_t k = 1; k < carriers; ++k) {
      if (most[k][v] == no_walk) continue;
      least = std::min(least, LoadRate{most[carriers][v] - most[k][v], static_cast<std::int64_t>(carriers - k)});
    }
    largest = std::max(largest, least);
  }
  return largest;
}

}  // namespace cachescape::pass
