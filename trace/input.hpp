// A byte source with a window to look ahead in, which knows its offset.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "bytes/source.hpp"
#include "cachescape/result.hpp"

namespace cachescape::trace {

class Input {
 public:
  explicit Input(std::unique_ptr<bytes::ByteSource> source) : source_(std::move(source)) {}

  /// Up to n bytes at the current offset, fewer only where the stream ends. Valid until the next call.
  Result<std::span<const std::byte>> peek(std::size_t n);
  /// Passes over n bytes that a peek has shown.
  void consume(std::size_t n) {
    begin_ += n;
    offset_ += n;
  }
  Result<void> seek(std::uint64_t offset);

  std::uint64_t offset() const { return offset_; }
  const bytes::ByteSource& source() const { return *source_; }

 private:
  std::unique_ptr<bytes::ByteSource> source_;
  std::vector<std::byte> window_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::uint64_t offset_ = 0;
};

}  // namespace cachescape::trace
