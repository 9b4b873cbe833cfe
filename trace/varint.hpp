// Variable-length integers (LEB128) and the mapping of signed differences to small unsigned ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace cachescape::trace {

constexpr std::uint64_t zigzag(std::uint64_t difference) { return (difference << 1) ^ (0 - (difference >> 63)); }
constexpr std::uint64_t unzigzag(std::uint64_t v) { return (v >> 1) ^ (0 - (v & 1)); }

inline void put_varint(std::vector<std::byte>& out, std::uint64_t v) {
  while (v >= 0x80) {
    out.push_back(static_cast<std::byte>(v | 0x80));
    v >>= 7;
  }
  out.push_back(static_cast<std::byte>(v));
}

/// Reads integers from a span; every read is checked against its end.
class VarintReader {
 public:
  explicit VarintReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  /// nullopt where the bytes end inside the integer or it does not fit 64 bits.
  std::optional<std::uint64_t> next() {
    std::uint64_t v = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (at_ == bytes_.size()) return std::nullopt;
      const auto b = std::to_integer<std::uint64_t>(bytes_[at_++]);
      if (shift == 63 && b > 1) return std::nullopt;
      v |= (b & 0x7f) << shift;
      if (b < 0x80) return v;
    }
    return std::nullopt;
  }

  std::optional<std::span<const std::byte>> take(std::uint64_t n) {
    if (n > remaining()) return std::nullopt;
    const auto part = bytes_.subspan(at_, n);
    at_ += n;
    return part;
  }

  std::size_t remaining() const { return bytes_.size() - at_; }

 private:
  std::span<const std::byte> bytes_;
  std::size_t at_ = 0;
};

}  // namespace cachescape::trace
