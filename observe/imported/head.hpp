// The first bytes of an input, as recognisers look at them.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace cachescape::imported {

/// How much of an input a recogniser gets to see.
inline constexpr std::size_t head_size = std::size_t{64} << 10;

/// The lines at the start of an input, without their ends. A line cut off by the end of a full head is left out. What
/// stands behind a line is as bytes::LineReader promises it.
class HeadLines {
 public:
  explicit HeadLines(std::span<const std::byte> head);

  /// The next line; false after the last one.
  bool next(std::string_view& line);

 private:
  std::string text_;
  std::string_view rest_;
};

/// Lines seen by a recogniser. A broken line among good ones should be reported by the reader, with its number, and
/// not make the format unknown.
struct LineTally {
  std::size_t good = 0;
  std::size_t broken = 0;

  bool mostly_good() const { return good > 2 * broken; }
};

}  // namespace cachescape::imported
