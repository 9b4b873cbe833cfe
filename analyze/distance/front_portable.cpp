// The front's kernel for any processor.
#include "analyze/distance/front_kernel.hpp"

namespace cachescape::analyze {
namespace {

class PortableLanes {
 public:
  explicit PortableLanes(const FrontState& s) : level_bits_((std::uint32_t{2} << s.max_level) - 1) {}
  void save(FrontState&) const {}

  std::uint32_t match(const FrontState& s, std::uint32_t low) const {
    std::uint32_t lanes = 0;
    for (unsigned i = 0; i < FrontState::lanes; ++i) lanes |= (s.low[i] == low ? 1u : 0u) << i;
    return lanes;
  }
  unsigned later(const FrontState& s, unsigned lane) {
    distance_ = 0;
    while (s.order[distance_] != lane) ++distance_;
    return distance_;
  }
  std::uint64_t agreement(const FrontState& s, std::uint32_t low) const {
    std::uint64_t bytes = 0;
    for (unsigned i = 0; i < distance_; ++i) bytes |= std::uint64_t{levels(s.low[s.order[i]], low)} << (8 * i);
    return bytes;
  }
  void raise(FrontState& s, unsigned lane, unsigned distance, std::uint16_t now) const {
    for (unsigned i = distance; i > 0; --i) s.order[i] = s.order[i - 1];
    s.order[0] = static_cast<std::uint8_t>(lane);
    s.touched[lane] = now;
  }
  unsigned earliest(const FrontState& s) const { return s.order[FrontState::lanes - 1]; }
  std::uint64_t demotion(const FrontState& s, unsigned lane) const {
    std::uint64_t bytes = 0;
    bool needed = false;
    for (unsigned i = 0; i < FrontState::lanes; ++i) {
      if (i == lane) continue;
      const std::uint32_t shared = levels(s.low[i], s.low[lane]);
      const bool before = s.entered[i] < s.entered[lane];
      needed |= before && shared > s.first_level;
      bytes |= std::uint64_t{shared | (before ? 0x80u : 0u)} << (8 * i);
    }
    return needed ? bytes : 0;
  }
  void enter(FrontState& s, unsigned lane, std::uint32_t low, std::uint16_t now) const {
    s.low[lane] = low;
    s.entered[lane] = now;
    raise(s, lane, FrontState::lanes - 1, now);
  }

 private:
  /// From level 0 on, at which two lines fall into one set.
  std::uint32_t levels(std::uint32_t a, std::uint32_t b) const {
    const std::uint32_t difference = a ^ b;
    return static_cast<std::uint32_t>(__builtin_popcount((difference ^ (difference - 1)) & level_bits_));
  }

  std::uint32_t level_bits_;
  unsigned distance_ = 0;
};

}  // namespace

FrontKernels portable_front() { return {&FrontEntry<PortableLanes>::accesses, &FrontEntry<PortableLanes>::touches}; }

}  // namespace cachescape::analyze
