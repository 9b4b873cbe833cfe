// Counts of exact distances while they are being collected.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "cachescape/histogram.hpp"

namespace cachescape::analyze {

/// A counter per distance, as an array that grows to the largest distance seen: at most 16 bytes per line of the
/// footprint.
class DistanceCounts {
 public:
  void add(std::uint32_t distance, std::uint64_t weight) {
    if (distance >= counts_.size()) [[unlikely]]
      counts_.resize(std::max<std::size_t>(std::size_t{distance} + 1, counts_.size() * 2));
    counts_[distance] += weight;
  }
  void prefetch(std::uint32_t distance) const {
    if (distance < counts_.size()) __builtin_prefetch(counts_.data() + distance, 1);
  }
  std::uint64_t at(std::size_t distance) const { return distance < counts_.size() ? counts_[distance] : 0; }
  void add_cold(std::uint64_t weight) { cold_ += weight; }

  /// Makes one counter of two neighbours: from now on distances are given in units twice as long.
  void halve_resolution() {
    std::vector<std::uint64_t> merged(std::max<std::size_t>(1024, (counts_.size() + 1) / 2));
    for (std::size_t d = 0; d < counts_.size(); ++d) merged[d / 2] += counts_[d];
    counts_ = std::move(merged);
  }

  /// Distances are multiplied by `unit`, counts divided by `scale`. Remainders are carried on to the next distance, so
  /// that the sum keeps its value and no region of many small counts vanishes.
  Histogram histogram(std::uint64_t unit, std::uint64_t scale) const {
    Histogram h;
    h.cold = (cold_ + scale / 2) / scale;
    std::uint64_t carried = 0;
    for (std::size_t d = 0; d < counts_.size(); ++d) {
      carried += counts_[d];
      if (const std::uint64_t n = carried / scale; n > 0) h.bins.push_back({d * unit, n});
      carried %= scale;
    }
    return h;
  }

  std::uint64_t memory_bytes() const { return counts_.capacity() * sizeof(std::uint64_t); }

 private:
  std::vector<std::uint64_t> counts_ = std::vector<std::uint64_t>(1024);
  std::uint64_t cold_ = 0;
};

}  // namespace cachescape::analyze
