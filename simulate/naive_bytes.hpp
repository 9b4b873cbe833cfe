// Ranges of byte addresses, and the lines that cover them, for the naive simulator.
#pragma once

#include <algorithm>
#include <vector>

#include "cachescape/line.hpp"
#include "cachescape/quantity.hpp"

namespace cachescape::simulate::naive {

/// The bytes first … last, both included, so that a range may end with the address space. Never empty.
struct ByteRange {
  Address first;
  Address last;

  Bytes size() const { return Bytes{last.value - first.value + 1}; }
};

/// The bytes of one line.
inline ByteRange bytes_of(Line line, LineSize size) {
  const Address first = size.first_byte(line);
  return {first, Address{first.value + (size.bytes().value - 1)}};
}

/// The lines that overlap the range, ascending.
inline std::vector<Line> lines_in(ByteRange range, LineSize size) {
  const Line last = size.line_of(range.last);
  std::vector<Line> lines{size.line_of(range.first)};
  while (lines.back() != last) lines.emplace_back(lines.back().value + 1);
  return lines;
}

/// The bytes that both hold. Precondition: they overlap.
inline ByteRange common_bytes(ByteRange a, ByteRange b) {
  return {std::max(a.first, b.first), std::min(a.last, b.last)};
}

/// The range grown at both ends to whole lines.
inline ByteRange widened(ByteRange range, LineSize size) {
  return {bytes_of(size.line_of(range.first), size).first, bytes_of(size.line_of(range.last), size).last};
}

}  // namespace cachescape::simulate::naive
