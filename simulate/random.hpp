// SplitMix64 (Steele, Lea, Flood 2014): the generator behind random replacement. Small state, full
// period, and the same numbers everywhere, so that a seed names a result.
#pragma once

#include <cstdint>

namespace cachescape::simulate {

class SplitMix64 {
 public:
  explicit SplitMix64(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15u;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }

 private:
  std::uint64_t state_;
};

/// The generator of one cache: level counted from 1, instance from 0.
inline SplitMix64 generator_for(std::uint64_t seed, std::uint64_t level, std::uint64_t instance) {
  SplitMix64 mix(seed ^ (level << 56) ^ (instance << 32));
  return SplitMix64(mix.next());
}

}  // namespace cachescape::simulate
