// Spatial sampling: follow one line in 2^k, chosen by a hash of its number (SHARDS: Waldspurger et al., FAST 2015).
#pragma once

#include <cstdint>

#include "cachescape/quantity.hpp"

namespace cachescape::analyze {

class LineSample {
 public:
  /// Follows lines at `rate`, rounded to the nearest power of one half; 1 follows all.
  explicit LineSample(unsigned halvings = 0) : halvings_(halvings) {}

  bool follows(Line line) const { return halvings_ == 0 || hash(line) >> (64 - halvings_) == 0; }
  /// A line that a sample of half the rate follows, this one follows too.
  LineSample halved() const { return LineSample(halvings_ + 1); }

  unsigned halvings() const { return halvings_; }
  /// What one followed line stands for.
  std::uint64_t scale() const { return std::uint64_t{1} << halvings_; }
  double rate() const { return 1.0 / static_cast<double>(scale()); }

 private:
  // The finaliser of MurmurHash3: every bit of the line moves every bit of the hash.
  static std::uint64_t hash(Line line) {
    std::uint64_t h = line.value;
    h = (h ^ (h >> 33)) * 0xff51afd7ed558ccdu;
    h = (h ^ (h >> 33)) * 0xc4ceb9fe1a85ec53u;
    return h ^ (h >> 33);
  }

  unsigned halvings_;
};

}  // namespace cachescape::analyze
