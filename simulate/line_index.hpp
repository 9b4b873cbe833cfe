// Where a line is, for caches too wide to search way by way: a chained hash table of fixed capacity whose
// chains run through the slots themselves, so that it never allocates after construction.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

namespace cachescape::simulate {

inline constexpr std::uint32_t no_slot = 0xffffffff;

class LineIndex {
 public:
  /// Slots are numbered 0 … slots − 1 by the owner.
  explicit LineIndex(std::size_t slots)
      : shift_(64 - static_cast<unsigned>(std::bit_width(slots))),
        heads_(std::size_t{1} << std::bit_width(slots), no_slot),
        entries_(slots) {}

  std::uint32_t find(std::uint64_t line) const {
    std::uint32_t slot = heads_[bucket(line)];
    while (slot != no_slot && entries_[slot].line != line) slot = entries_[slot].next;
    return slot;
  }

  /// Precondition: neither the line nor the slot is in the index.
  void insert(std::uint64_t line, std::uint32_t slot) {
    std::uint32_t& head = heads_[bucket(line)];
    entries_[slot] = {line, head};
    head = slot;
  }

  /// Precondition: the line is in the index.
  void erase(std::uint64_t line) {
    std::uint32_t* link = &heads_[bucket(line)];
    while (entries_[*link].line != line) link = &entries_[*link].next;
    *link = entries_[*link].next;
  }

  std::uint64_t line_at(std::uint32_t slot) const { return entries_[slot].line; }

 private:
  struct Entry {
    std::uint64_t line = 0;
    std::uint32_t next = no_slot;
  };

  // Fibonacci hashing: lines come in arithmetic progressions, which this spreads evenly.
  std::size_t bucket(std::uint64_t line) const { return (line * 0x9e3779b97f4a7c15u) >> shift_; }

  unsigned shift_;
  std::vector<std::uint32_t> heads_;
  std::vector<Entry> entries_;
};

}  // namespace cachescape::simulate
