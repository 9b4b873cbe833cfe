// Counts of depths while they are being collected: a byte for each, and a long number for those that need more.
//
// Random touches count at as many places as there are lines, in more than ten such counts at a time. Eight bytes each
// would not stay in the processor's caches.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "cachescape/histogram.hpp"

namespace cachescape::analyze {

/// Arrays that grow to the greatest depth seen, and to the greatest that was seen often: at most 18 bytes per line of
/// the footprint.
class NarrowCounts {
 public:
  void add(std::uint32_t depth) {
    if (depth >= low_.size()) [[unlikely]]
      grow(low_, depth);
    if (++low_[depth] == 0) [[unlikely]]
      add(depth, 256);
  }
  void add(std::uint32_t depth, std::uint64_t times) {
    if (depth >= high_.size()) grow(high_, depth);
    high_[depth] += times;
  }
  void prefetch(std::uint32_t depth) const {
    if (depth < low_.size()) __builtin_prefetch(low_.data() + depth, 1);
  }

  std::vector<Bin> bins() const {
    std::vector<Bin> all;
    for (std::size_t d = 0; d < std::max(low_.size(), high_.size()); ++d) {
      const std::uint64_t n = (d < low_.size() ? low_[d] : 0) + (d < high_.size() ? high_[d] : 0);
      if (n > 0) all.push_back({d, n});
    }
    return all;
  }

  std::uint64_t memory_bytes() const { return low_.capacity() + high_.capacity() * sizeof(std::uint64_t); }

 private:
  template <class T>
  static void grow(std::vector<T>& counts, std::uint32_t depth) {
    counts.resize(std::max<std::size_t>(std::size_t{depth} + 1, counts.size() * 2));
  }

  std::vector<std::uint8_t> low_ = std::vector<std::uint8_t>(1024);  ///< what is left over of 256
  std::vector<std::uint64_t> high_;
};

}  // namespace cachescape::analyze
