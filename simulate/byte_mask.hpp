// Which bytes of one line were written.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "cachescape/line.hpp"
#include "simulate/byte_range.hpp"

namespace cachescape::simulate {

class ByteMask {
 public:
  explicit ByteMask(LineSize line) : words_((line.bytes().value + 63) / 64) {}

  /// `range` and `line_start` are addresses; the range lies inside the line.
  void add(ByteRange range, std::uint64_t line_start) {
    for (std::uint64_t b = range.first - line_start; b <= range.last - line_start; ++b)
      words_[b / 64] |= std::uint64_t{1} << (b % 64);
  }
  bool meets(ByteRange range, std::uint64_t line_start) const {
    for (std::uint64_t b = range.first - line_start; b <= range.last - line_start; ++b) {
      if ((words_[b / 64] >> (b % 64) & 1) != 0) return true;
    }
    return false;
  }

 private:
  std::vector<std::uint64_t> words_;
};

}  // namespace cachescape::simulate
