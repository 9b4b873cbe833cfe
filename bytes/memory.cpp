// Buffers in memory as source and sink.
#include <algorithm>
#include <cstring>
#include <utility>

#include "bytes/sink.hpp"
#include "bytes/source.hpp"

namespace cachescape::bytes {
namespace {

class MemorySource final : public ByteSource {
 public:
  MemorySource(std::span<const std::byte> bytes, std::string name) : bytes_(bytes), name_(std::move(name)) {}

  Result<std::size_t> read(std::span<std::byte> into) override {
    const std::size_t count = std::min(into.size(), bytes_.size() - position_);
    if (count != 0) std::memcpy(into.data(), bytes_.data() + position_, count);
    position_ += count;
    read_ += count;
    return count;
  }

  bool seekable() const override { return true; }
  Result<void> seek(std::uint64_t offset) override {
    // Like a file: beyond the end there is nothing to read.
    position_ = offset < bytes_.size() ? static_cast<std::size_t>(offset) : bytes_.size();
    return {};
  }

  const std::string& name() const override { return name_; }
  std::uint64_t bytes_read() const override { return read_; }
  std::optional<std::uint64_t> bytes_total() const override { return bytes_.size(); }

 private:
  std::span<const std::byte> bytes_;
  std::string name_;
  std::size_t position_ = 0;
  std::uint64_t read_ = 0;
};

class MemorySink final : public ByteSink {
 public:
  explicit MemorySink(std::string& out) : out_(out) {}

  Result<void> write(std::span<const std::byte> bytes) override {
    if (closed_) return failure(ErrorKind::usage, "cannot write: the output is already closed", name_);
    out_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    written_ += bytes.size();
    return {};
  }
  Result<void> close() override {
    closed_ = true;
    return {};
  }

  const std::string& name() const override { return name_; }
  std::uint64_t bytes_written() const override { return written_; }

 private:
  std::string& out_;
  std::string name_ = "memory";
  std::uint64_t written_ = 0;
  bool closed_ = false;
};

}  // namespace

std::unique_ptr<ByteSource> memory_source(std::span<const std::byte> bytes, std::string name) {
  return std::make_unique<MemorySource>(bytes, std::move(name));
}

std::unique_ptr<ByteSink> memory_sink(std::string& out) { return std::make_unique<MemorySink>(out); }

}  // namespace cachescape::bytes
