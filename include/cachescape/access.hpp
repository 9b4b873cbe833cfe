// One access, and the batch in which accesses travel between components.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "cachescape/quantity.hpp"

namespace cachescape {

enum class AccessKind : std::uint8_t {
  read = 0,
  write = 1,
  modify = 2,  ///< read-modify-write: counts as a read, leaves the line written
};
inline constexpr std::size_t access_kinds = 3;

/// Counts for reads, writes and read-modify-writes, indexed by AccessKind.
using KindCounts = std::array<std::uint64_t, access_kinds>;

/// Whether the access leaves its bytes changed.
constexpr bool writes(AccessKind k) { return k != AccessKind::read; }

/// One dynamic load, store or read-modify-write.
struct Access {
  Address address;
  std::uint32_t size = 0;  ///< bytes; 0 = unknown, which touches one line
  AccessKind kind = AccessKind::read;
  ThreadId thread;
  SiteId site;

  friend constexpr bool operator==(const Access&, const Access&) = default;
};

/// Execution of a basic block began just before access `index` of the batch (index == size() when no
/// access of the batch follows).
struct BlockEntry {
  std::uint32_t index = 0;
  ThreadId thread;
  BlockId block;

  friend constexpr bool operator==(const BlockEntry&, const BlockEntry&) = default;
};

/// A run of consecutive accesses as structure of arrays, in the order in which they happened.
/// Columns have one length, size(); capacity is fixed at construction. Not thread-safe.
class AccessBatch {
 public:
  static constexpr std::size_t default_capacity = 4096;

  explicit AccessBatch(std::size_t capacity = default_capacity)
      : capacity_(capacity),
        address_(std::make_unique<Address[]>(capacity)),
        size_(std::make_unique<std::uint32_t[]>(capacity)),
        kind_(std::make_unique<AccessKind[]>(capacity)),
        thread_(std::make_unique<ThreadId[]>(capacity)),
        site_(std::make_unique<SiteId[]>(capacity)) {}

  std::size_t size() const { return count_; }
  std::size_t capacity() const { return capacity_; }
  bool empty() const { return count_ == 0; }
  bool full() const { return count_ == capacity_; }

  void clear() {
    count_ = 0;
    blocks.clear();
  }
  /// For decoders that fill the columns directly. Precondition: n <= capacity().
  void set_size(std::size_t n) { count_ = n; }

  /// Precondition: !full().
  void push(const Access& a) {
    address_[count_] = a.address;
    size_[count_] = a.size;
    kind_[count_] = a.kind;
    thread_[count_] = a.thread;
    site_[count_] = a.site;
    ++count_;
  }
  Access operator[](std::size_t i) const { return {address_[i], size_[i], kind_[i], thread_[i], site_[i]}; }

  std::span<const Address> addresses() const { return {address_.get(), count_}; }
  std::span<const std::uint32_t> sizes() const { return {size_.get(), count_}; }
  std::span<const AccessKind> kinds() const { return {kind_.get(), count_}; }
  std::span<const ThreadId> threads() const { return {thread_.get(), count_}; }
  std::span<const SiteId> sites() const { return {site_.get(), count_}; }

  /// Columns over the whole capacity, for decoders; follow with set_size().
  Address* address_column() { return address_.get(); }
  std::uint32_t* size_column() { return size_.get(); }
  AccessKind* kind_column() { return kind_.get(); }
  ThreadId* thread_column() { return thread_.get(); }
  SiteId* site_column() { return site_.get(); }

  /// Position of the batch's first access in its stream.
  AccessCount first;
  /// Block executions that began in this batch, by ascending index; empty where blocks are unknown.
  std::vector<BlockEntry> blocks;

 private:
  std::size_t capacity_;
  std::size_t count_ = 0;
  std::unique_ptr<Address[]> address_;
  std::unique_ptr<std::uint32_t[]> size_;
  std::unique_ptr<AccessKind[]> kind_;
  std::unique_ptr<ThreadId[]> thread_;
  std::unique_ptr<SiteId[]> site_;
};

}  // namespace cachescape
