// Random numbers that are the same everywhere for the same seed.
#pragma once

#include <cstdint>
#include <random>

namespace cachescape::synth {

/// The standard fixes what the engine gives, not what its distributions make of it.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  /// 0 ≤ x < 1.
  double share() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }
  /// 0 ≤ x < end. Precondition: 0 < end < 2^53.
  std::uint64_t below(std::uint64_t end) { return static_cast<std::uint64_t>(share() * static_cast<double>(end)); }

 private:
  std::mt19937_64 engine_;
};

}  // namespace cachescape::synth
