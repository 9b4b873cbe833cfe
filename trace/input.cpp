#include "trace/input.hpp"

#include <algorithm>
#include <cstring>

namespace cachescape::trace {

namespace {
constexpr std::size_t read_ahead = std::size_t{1} << 18;
}

Result<std::span<const std::byte>> Input::peek(std::size_t n) {
  if (end_ - begin_ < n) {
    if (begin_ > 0) {
      std::memmove(window_.data(), window_.data() + begin_, end_ - begin_);
      end_ -= begin_;
      begin_ = 0;
    }
    while (end_ < n) {
      // The window grows with what has really been read, not with what a header promises.
      if (window_.size() < end_ + read_ahead) window_.resize(end_ + read_ahead);
      CACHESCAPE_TRY(const std::size_t got, source_->read(std::span(window_).subspan(end_)));
      if (got == 0) break;
      end_ += got;
    }
  }
  return std::span<const std::byte>(window_).subspan(begin_, std::min(n, end_ - begin_));
}

Result<void> Input::seek(std::uint64_t offset) {
  CACHESCAPE_CHECK(source_->seek(offset));
  begin_ = 0;
  end_ = 0;
  offset_ = offset;
  return {};
}

}  // namespace cachescape::trace
