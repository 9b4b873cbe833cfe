// Exact, sparse histograms of distances.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "cachescape/access.hpp"

namespace cachescape {

struct Bin {
  std::uint64_t value = 0;  ///< a distance, or whatever is counted
  std::uint64_t count = 0;

  friend constexpr bool operator==(const Bin&, const Bin&) = default;
};

/// Stays at the top rather than starting over.
inline void add_to(std::uint64_t& sum, std::uint64_t value) {
  if (__builtin_add_overflow(sum, value, &sum)) sum = std::numeric_limits<std::uint64_t>::max();
}

/// Both by ascending value, as is the sum.
inline std::vector<Bin> sum_of(const std::vector<Bin>& a, const std::vector<Bin>& b) {
  std::vector<Bin> sum;
  sum.reserve(a.size() + b.size());
  auto i = a.begin();
  auto j = b.begin();
  while (i != a.end() || j != b.end()) {
    if (j == b.end() || (i != a.end() && i->value < j->value)) {
      sum.push_back(*i++);
    } else if (i == a.end() || j->value < i->value) {
      sum.push_back(*j++);
    } else {
      sum.push_back(*i++);
      add_to(sum.back().count, j++->count);
    }
  }
  return sum;
}

/// Every distance that occurred and how often, plus the touches that have none.
struct Histogram {
  std::vector<Bin> bins;   ///< by ascending value; no zero counts
  std::uint64_t cold = 0;  ///< first touches

  std::uint64_t finite() const {
    std::uint64_t n = 0;
    for (const Bin& b : bins) n += b.count;
    return n;
  }
  std::uint64_t total() const { return finite() + cold; }
  /// Touches whose distance is less than `distance`: the hits of a fully associative LRU cache of that many lines.
  /// O(log bins) would need prefix sums; models that ask often make them.
  std::uint64_t below(std::uint64_t distance) const {
    std::uint64_t n = 0;
    for (const Bin& b : bins) {
      if (b.value >= distance) break;
      n += b.count;
    }
    return n;
  }

  friend bool operator==(const Histogram&, const Histogram&) = default;
};

}  // namespace cachescape
