// Inclusive ranges of byte addresses: inclusive, so that the last byte of the address space needs no care.
#pragma once

#include <algorithm>
#include <cstdint>

#include "cachescape/line.hpp"

namespace cachescape::simulate {

struct ByteRange {
  std::uint64_t first = 0;
  std::uint64_t last = 0;

  std::uint64_t size() const { return last - first + 1; }

  static ByteRange of(Line line, LineSize size) {
    const std::uint64_t first = size.first_byte(line).value;
    return {first, first + (size.bytes().value - 1)};
  }
  /// The smallest range of whole lines that covers this one.
  ByteRange widened(LineSize size) const {
    const std::uint64_t low = size.bytes().value - 1;
    return {first & ~low, last | low};
  }
  bool overlaps(ByteRange other) const { return first <= other.last && other.first <= last; }
  /// Precondition: the two overlap.
  ByteRange common(ByteRange other) const { return {std::max(first, other.first), std::min(last, other.last)}; }
  Touches lines(LineSize size) const { return {size.line_of(Address{first}), size.line_of(Address{last})}; }
};

/// Runs body(line) for each line of the range, ascending.
template <class Body>
void for_lines(ByteRange range, LineSize size, Body body) {
  const Touches lines = range.lines(size);
  for (std::uint64_t l = lines.first.value;; ++l) {
    body(Line{l});
    if (l == lines.last.value) break;
  }
}

}  // namespace cachescape::simulate
