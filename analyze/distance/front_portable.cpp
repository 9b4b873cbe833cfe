// The front's kernel for any processor.
#include "analyze/distance/front_kernel.hpp"

namespace cachescape::analyze {
namespace {

class PortableLanes {
 public:
  explicit PortableLanes(const FrontState& s)
      : touched(s.touched), entered(s.entered), level_bits_((std::uint32_t{2} << s.max_level) - 1) {}
  void save(FrontState& s) const {
    s.touched = touched;
    s.entered = entered;
  }

  std::uint32_t match(const FrontState& s, std::uint32_t low) const {
    std::uint32_t lanes = 0;
    for (unsigned i = 0; i < FrontState::lanes; ++i) lanes |= (s.low[i] == low ? 1u : 0u) << i;
    return lanes;
  }
  std::uint64_t agreed_with_later(const FrontState& s, unsigned lane, unsigned distance) const {
    std::uint64_t bytes = 0;
    for (unsigned i = 0; i < distance; ++i) bytes |= (s.agreed[lane] >> (8 * s.order[i]) & 0xff) << (8 * i);
    return bytes;
  }
  void to_front(FrontState& s, unsigned distance) const {
    const std::uint8_t lane = s.order[distance];
    for (unsigned i = distance; i > 0; --i) s.order[i] = s.order[i - 1];
    s.order[0] = lane;
  }
  unsigned earliest(const FrontState& s) const { return s.order[FrontState::lanes - 1]; }
  std::uint64_t agreed_with_all(const FrontState& s, unsigned lane, std::uint32_t low) const {
    std::uint64_t bytes = 0;
    for (unsigned i = 0; i < FrontState::lanes; ++i)
      if (i != lane) bytes |= std::uint64_t{levels(s.low[i], low)} << (8 * i);
    return bytes;
  }
  template <bool Sets>
  void enter(FrontState& s, unsigned lane, std::uint32_t low) const {
    if constexpr (Sets) {
      s.agreed[lane] = agreed_with_all(s, lane, low);
      for (unsigned i = 0; i < FrontState::lanes; ++i) {
        s.agreed[i] &= ~(std::uint64_t{0xff} << (8 * lane));
        s.agreed[i] |= (s.agreed[lane] >> (8 * i) & 0xff) << (8 * lane);
      }
    }
    s.low[lane] = low;
  }

  LaneOrder touched;
  LaneOrder entered;

 private:
  /// From level 0 on, at which two lines fall into one set.
  std::uint32_t levels(std::uint32_t a, std::uint32_t b) const {
    const std::uint32_t difference = a ^ b;
    return static_cast<std::uint32_t>(__builtin_popcount((difference ^ (difference - 1)) & level_bits_));
  }

  std::uint32_t level_bits_;
};

}  // namespace

FrontKernels portable_front() { return FrontEntry<PortableLanes>::kernels(); }

}  // namespace cachescape::analyze
