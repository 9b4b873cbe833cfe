// Accesses as observers hand them over by the hundred million: sixteen bytes each, one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "cachescape/access.hpp"

namespace cachescape {

class PackedAccess {
 public:
  PackedAccess() = default;
  /// Preconditions: size < 2^24; the place is a small number.
  PackedAccess(Address address, std::uint32_t size, AccessKind kind, std::uint32_t place)
      : address_(address), size_and_kind_(size << 8 | static_cast<std::uint32_t>(kind)), place_(place) {}

  Address address() const { return address_; }
  std::uint32_t size() const { return size_and_kind_ >> 8; }
  AccessKind kind() const { return static_cast<AccessKind>(size_and_kind_ & 0xff); }
  std::uint32_t place() const { return place_; }

 private:
  Address address_;
  std::uint32_t size_and_kind_ = 0;
  std::uint32_t place_ = 0;
};
static_assert(sizeof(PackedAccess) == 16);

/// Accesses of one thread in a row, with their sums.
class PackedBatch {
 public:
  static constexpr std::size_t default_capacity = 4096;

  explicit PackedBatch(std::size_t capacity = default_capacity)
      : capacity_(capacity), accesses_(std::make_unique<PackedAccess[]>(capacity)) {}

  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  std::size_t room() const { return capacity_ - size_; }
  std::span<const PackedAccess> accesses() const { return {accesses_.get(), size_}; }
  /// By kind, and the sum of their bytes.
  const KindCounts& kinds() const { return kinds_; }
  std::uint64_t bytes() const { return bytes_; }

  void clear() {
    size_ = 0;
    kinds_ = {};
    bytes_ = 0;
    blocks.clear();
  }
  /// Precondition: room() > 0.
  void push(const PackedAccess& a) {
    accesses_[size_++] = a;
    ++kinds_[static_cast<std::size_t>(a.kind())];
    bytes_ += a.size();
  }
  /// For decoders that write accesses themselves and know their sums: where the next ones go. Follow with add().
  PackedAccess* end() { return accesses_.get() + size_; }
  template <class Kinds>
  void add(std::size_t count, const Kinds& kinds, std::uint64_t bytes) {
    size_ += count;
    for (std::size_t k = 0; k < access_kinds; ++k) kinds_[k] += kinds[k];
    bytes_ += bytes;
  }

  ThreadId thread;
  /// Block executions that began in this batch, by ascending index; empty where nobody asked for them.
  std::vector<BlockEntry> blocks;

 private:
  std::size_t capacity_;
  std::size_t size_ = 0;
  KindCounts kinds_{};
  std::uint64_t bytes_ = 0;
  std::unique_ptr<PackedAccess[]> accesses_;
};

}  // namespace cachescape
