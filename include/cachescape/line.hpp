// Lines and touches: how one access becomes the cache lines it uses.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>

#include "cachescape/quantity.hpp"

namespace cachescape {

/// A power-of-two line size. Constructed from its logarithm so that it cannot be anything else.
class LineSize {
 public:
  constexpr explicit LineSize(unsigned log2) : log2_(log2) {}

  /// True where `bytes` is a power of two that a line may have (1 byte … 1 GiB).
  static constexpr bool valid(std::uint64_t bytes) {
    return std::has_single_bit(bytes) && bytes <= (std::uint64_t{1} << 30);
  }
  /// Precondition: valid(bytes).
  static constexpr LineSize of(std::uint64_t bytes) { return LineSize{static_cast<unsigned>(std::countr_zero(bytes))}; }

  constexpr unsigned log2() const { return log2_; }
  constexpr Bytes bytes() const { return Bytes{std::uint64_t{1} << log2_}; }
  constexpr Line line_of(Address a) const { return Line{a.value >> log2_}; }
  constexpr Address first_byte(Line l) const { return Address{l.value << log2_}; }

  friend constexpr auto operator<=>(LineSize, LineSize) = default;

 private:
  unsigned log2_;
};

/// The last byte an access of `size` bytes at `a` uses. A size of 0 means "unknown": one byte.
/// Accesses that would run past the end of the address space end there.
constexpr Address last_byte(Address a, std::uint64_t size) {
  const std::uint64_t span = size == 0 ? 0 : size - 1;
  const std::uint64_t room = std::numeric_limits<std::uint64_t>::max() - a.value;
  return Address{a.value + (span < room ? span : room)};
}

/// The touches of one access: lines first … last, ascending, one touch each.
struct Touches {
  Line first;
  Line last;

  constexpr std::uint64_t count() const { return last.value - first.value + 1; }
};

constexpr Touches touches_of(Address a, std::uint64_t size, LineSize line) {
  return {line.line_of(a), line.line_of(last_byte(a, size))};
}

}  // namespace cachescape
