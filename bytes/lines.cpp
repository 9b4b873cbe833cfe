#include "bytes/lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

namespace cachescape::bytes {

LineReader::LineReader(std::unique_ptr<ByteSource> source, std::size_t buffer)
    : source_(std::move(source)), largest_buffer_(buffer) {
  std::size_t capacity = buffer;
  if (const auto total = source_->bytes_total(); total && *total < buffer) {
    capacity = std::max(static_cast<std::size_t>(*total) + 1, smallest_buffer);
  }
  buffer_.resize(capacity + readable_behind);
  position_ = end_ = buffer_.data();
}

std::string LineReader::where() const { return fmt::format("{}:{}", source_->name(), line_number_); }

// Moves what is left to the front of the buffer and reads behind it; false at the end and on failure.
bool LineReader::refill() {
  if (ended_ || failed_) return false;
  const auto rest = static_cast<std::size_t>(end_ - position_);
  if (rest != 0) std::memmove(buffer_.data(), position_, rest);
  std::size_t capacity = buffer_.size() - readable_behind;
  if (rest > capacity / 2 && capacity < largest_buffer_) {
    capacity = std::min(2 * capacity, largest_buffer_);
    buffer_.resize(capacity + readable_behind);
  }
  position_ = buffer_.data();
  end_ = position_ + rest;
  const std::span<char> room(buffer_.data() + rest, capacity - rest);
  auto count = source_->read(std::as_writable_bytes(room));
  if (!count) {
    failed_ = true;
    error_ = std::move(count).error();
    return false;
  }
  ended_ = *count == 0;
  end_ += *count;
  return !ended_;
}

LineStatus LineReader::refuse_long_line(std::string_view& line) {
  ++line_number_;
  skipping_ = true;
  line = std::string_view(position_, longest_line);
  error_ = Error{ErrorKind::limit, fmt::format("the line is longer than {} bytes", longest_line), where(),
                 "check that the input is a text trace"};
  return LineStatus::too_long;
}

bool LineReader::skip_rest_of_line() {
  do {
    const auto rest = static_cast<std::size_t>(end_ - position_);
    if (const void* newline = std::memchr(position_, '\n', rest); newline != nullptr) {
      position_ = static_cast<const char*>(newline) + 1;
      skipping_ = false;
      return true;
    }
    position_ = end_;
  } while (refill());
  return false;
}

LineStatus LineReader::next_slowly(std::string_view& line) {
  line = {};
  if (failed_) return LineStatus::failed;
  if (skipping_ && !skip_rest_of_line()) return failed_ ? LineStatus::failed : LineStatus::end;
  while (true) {
    const auto rest = static_cast<std::size_t>(end_ - position_);
    const auto* newline = static_cast<const char*>(std::memchr(position_, '\n', rest));
    const std::size_t length = newline != nullptr ? static_cast<std::size_t>(newline - position_) : rest;
    if (length > longest_line) return refuse_long_line(line);
    if (newline != nullptr) {
      take(line, newline);
      return LineStatus::line;
    }
    if (refill()) continue;
    if (failed_) return LineStatus::failed;
    if (position_ == end_) return LineStatus::end;
    line = std::string_view(position_, static_cast<std::size_t>(end_ - position_));
    if (line.back() == '\r') line.remove_suffix(1);
    buffer_[static_cast<std::size_t>(end_ - buffer_.data())] = '\n';
    position_ = end_;
    terminated_ = false;
    ++line_number_;
    return LineStatus::line;
  }
}

}  // namespace cachescape::bytes
