// Lines of text out of a byte source, fast: one large buffer, no copies, no allocation per line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

#include "bytes/source.hpp"
#include "cachescape/result.hpp"

namespace cachescape::bytes {

enum class LineStatus : std::uint8_t {
  line,      ///< a line was delivered
  end,       ///< the source has ended
  too_long,  ///< a line exceeds LineReader::longest_line; the next call goes on after it
  failed,    ///< the source failed, and the reader with it
};

/// Delivers the lines of a source one by one. One thread. Cost per line: one memchr.
class LineReader {
 public:
  static constexpr std::size_t longest_line = std::size_t{64} << 10;
  static constexpr std::size_t readable_behind = 8;
  static constexpr std::size_t default_buffer = std::size_t{1} << 20;
  static constexpr std::size_t smallest_buffer = std::size_t{4} << 10;

  /// The buffer holds at most `buffer` bytes, less where the source is known to be small.
  /// Precondition: buffer >= 2 * longest_line.
  explicit LineReader(std::unique_ptr<ByteSource> source, std::size_t buffer = default_buffer);

  /// The next line, without its end ("\n" or "\r\n"; the last line needs none). The view is valid until the
  /// next call; behind it stands a line end ('\n' or '\r'), and `readable_behind` bytes from there can be read, so that
  /// parsers may take whole words and need not compare with the end at every character. On too_long it holds the
  /// beginning of the line, on end and failed it is empty.
  LineStatus next(std::string_view& line) {
    const auto rest = static_cast<std::size_t>(end_ - position_);
    const auto* newline = static_cast<const char*>(std::memchr(position_, '\n', rest));
    if (newline == nullptr || skipping_ || static_cast<std::size_t>(newline - position_) > longest_line) [[unlikely]] {
      return next_slowly(line);
    }
    take(line, newline);
    return LineStatus::line;
  }

  /// The number of the line delivered last, from 1.
  std::uint64_t line_number() const { return line_number_; }
  /// Whether the line delivered last had a line end; if not, the input may have been cut there.
  bool terminated() const { return terminated_; }
  /// What went wrong. Precondition: the last next() returned too_long or failed.
  const Error& error() const { return error_; }
  /// "name:line" of the line delivered last, as Error::where wants it.
  std::string where() const;

  const ByteSource& source() const { return *source_; }

 private:
  void take(std::string_view& line, const char* newline) {
    auto length = static_cast<std::size_t>(newline - position_);
    if (length != 0 && newline[-1] == '\r') --length;
    line = std::string_view(position_, length);
    position_ = newline + 1;
    ++line_number_;
  }
  LineStatus next_slowly(std::string_view& line);
  LineStatus refuse_long_line(std::string_view& line);
  bool skip_rest_of_line();
  bool refill();

  std::unique_ptr<ByteSource> source_;
  std::size_t largest_buffer_;
  std::vector<char> buffer_;
  const char* position_;
  const char* end_;
  std::uint64_t line_number_ = 0;
  bool skipping_ = false;  ///< inside a line that was refused as too long
  bool ended_ = false;
  bool failed_ = false;
  bool terminated_ = true;
  Error error_;
};

}  // namespace cachescape::bytes
