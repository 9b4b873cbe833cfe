#include "bytes/replayed.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace cachescape::bytes {
namespace {

class ReplayedSource final : public ByteSource {
 public:
  ReplayedSource(std::vector<std::byte> head, std::unique_ptr<ByteSource> rest)
      : head_(std::move(head)), rest_(std::move(rest)) {}

  Result<std::size_t> read(std::span<std::byte> into) override {
    if (position_ == head_.size()) return rest_->read(into);
    const std::size_t count = std::min(into.size(), head_.size() - position_);
    if (count != 0) std::memcpy(into.data(), head_.data() + position_, count);
    position_ += count;
    return count;
  }

  const std::string& name() const override { return rest_->name(); }
  std::uint64_t bytes_read() const override { return rest_->bytes_read(); }
  std::optional<std::uint64_t> bytes_total() const override { return rest_->bytes_total(); }

 private:
  std::vector<std::byte> head_;
  std::unique_ptr<ByteSource> rest_;
  std::size_t position_ = 0;
};

}  // namespace

std::unique_ptr<ByteSource> replayed(std::vector<std::byte> head, std::unique_ptr<ByteSource> rest) {
  return std::make_unique<ReplayedSource>(std::move(head), std::move(rest));
}

}  // namespace cachescape::bytes
