// Accesses as observers hand them over by the hundred million: sixteen bytes each, one thread at a time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "cachescape/access.hpp"

namespace cachescape {

/// What an instruction's accesses have in common.
class AccessShape {
 public:
  AccessShape() = default;
  /// Precondition: size < 2^24.
  AccessShape(std::uint32_t size, AccessKind kind) : size_and_kind_(size << 8 | static_cast<std::uint32_t>(kind)) {}

  std::uint32_t size() const { return size_and_kind_ >> 8; }
  AccessKind kind() const { return static_cast<AccessKind>(size_and_kind_ & 0xff); }

 private:
  friend class PackedAccess;
  std::uint32_t size_and_kind_ = 0;
};

class PackedAccess {
 public:
  PackedAccess() = default;
  /// Precondition: the place is a small number.
  PackedAccess(Address address, AccessShape shape, std::uint32_t place)
      : address_(address), place_and_shape_(std::uint64_t{place} << 32 | shape.size_and_kind_) {}
  PackedAccess(Address address, std::uint32_t size, AccessKind kind, std::uint32_t place)
      : PackedAccess(address, AccessShape(size, kind), place) {}

  Address address() const { return address_; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(place_and_shape_) >> 8; }
  AccessKind kind() const { return static_cast<AccessKind>(place_and_shape_ & 0xff); }
  std::uint32_t place() const { return static_cast<std::uint32_t>(place_and_shape_ >> 32); }

 private:
  Address address_;
  std::uint64_t place_and_shape_ = 0;  ///< written at once
};
static_assert(sizeof(PackedAccess) == 16);

/// Of some accesses: how many there are of each kind, and how many bytes they have together.
struct AccessSums {
  KindCounts kinds{};
  std::uint64_t bytes = 0;
};

/// One pass without branches: observers need not add for each record.
inline AccessSums sums_of(std::span<const PackedAccess> accesses) {
  AccessSums sums;
  while (!accesses.empty()) {
    // So many that sums of 32 bits cannot run over.
    const auto some = accesses.first(std::min<std::size_t>(accesses.size(), 256));
    std::uint32_t bytes = 0;
    std::uint32_t writes = 0;
    std::uint32_t modifications = 0;
    for (const PackedAccess& a : some) {
      bytes += a.size();
      writes += a.kind() == AccessKind::write ? 1u : 0u;
      modifications += a.kind() == AccessKind::modify ? 1u : 0u;
    }
    sums.kinds[static_cast<std::size_t>(AccessKind::read)] += some.size() - writes - modifications;
    sums.kinds[static_cast<std::size_t>(AccessKind::write)] += writes;
    sums.kinds[static_cast<std::size_t>(AccessKind::modify)] += modifications;
    sums.bytes += bytes;
    accesses = accesses.subspan(some.size());
  }
  return sums;
}

/// Accesses of one thread in a row.
class PackedBatch {
 public:
  static constexpr std::size_t default_capacity = 4096;

  explicit PackedBatch(std::size_t capacity = default_capacity)
      : capacity_(capacity), accesses_(std::make_unique<PackedAccess[]>(capacity)) {}

  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  std::size_t room() const { return capacity_ - size_; }
  std::span<const PackedAccess> accesses() const { return {accesses_.get(), size_}; }
  void clear() {
    size_ = 0;
    blocks.clear();
  }
  /// Precondition: room() > 0.
  void push(const PackedAccess& a) { accesses_[size_++] = a; }
  /// For decoders that write accesses themselves: where the next ones go. Follow with add().
  PackedAccess* end() { return accesses_.get() + size_; }
  void add(std::size_t count) { size_ += count; }

  ThreadId thread;
  /// Block executions that began in this batch, by ascending index; empty where nobody asked for them.
  std::vector<BlockEntry> blocks;

 private:
  std::size_t capacity_;
  std::size_t size_ = 0;
  std::unique_ptr<PackedAccess[]> accesses_;
};

}  // namespace cachescape
