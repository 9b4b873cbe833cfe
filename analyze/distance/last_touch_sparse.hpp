// Last touches of lines that lie too far apart for a shadow: an open-addressed hash table.
//
// Linear probing over 12-byte entries, at most three quarters full: 16 to 32 bytes per line, 48 while the table
// doubles. Single-threaded. Entries are never erased one by one; grow() leaves out those the caller disowns.
#pragma once

#include <cstddef>
#include <cstdint>

#include "analyze/distance/last_touch_memory.hpp"

namespace cachescape::analyze {

class SparseTouches {
 public:
  struct Entry {
    std::uint32_t low;   ///< of the line number; 0 with high == 0 marks a free entry
    std::uint32_t high;  ///< of the line number
    std::uint32_t time;

    std::uint64_t line() const { return (std::uint64_t{high} << 32) | low; }
  };

  [[gnu::always_inline]] bool empty() const { return count_ == 0; }
  static constexpr std::uint64_t neighbour_lines = 16;  ///< that are kept next to each other

  bool full() const { return count_ >= capacity_ / 4 * 3; }
  std::size_t memory_bytes() const { return memory_.bytes(); }

  /// The line's time, or null where the line is not here. Lines are not 0.
  std::uint32_t* find(std::uint64_t line) const {
    if (count_ == 0) return nullptr;
    Entry& entry = *probe(line);
    return entry.line() == line ? &entry.time : nullptr;
  }

  /// The line's time, 0 where the line is new. Preconditions: line != 0, !full(). Moves nothing.
  std::uint32_t* insert(std::uint64_t line) {
    Entry& entry = *probe(line);
    if (entry.line() != line) {
      entry.low = static_cast<std::uint32_t>(line);
      entry.high = static_cast<std::uint32_t>(line >> 32);
      ++count_;
    }
    return &entry.time;
  }

  /// Gives up the table and all that is in it.
  void clear();

  /// Doubles the table where needed and moves every entry, except those for which `disowned(line)` holds.
  template <class Disowned>
  void grow(Disowned disowned) {
    SparseTouches old;
    swap(old);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < old.capacity_; ++i) {
      const Entry& entry = old.entries()[i];
      if (entry.line() != 0 && !disowned(entry.line())) ++kept;
    }
    reserve(kept);
    for (std::size_t i = 0; i < old.capacity_; ++i) {
      const Entry& entry = old.entries()[i];
      if (entry.line() != 0 && !disowned(entry.line())) *insert(entry.line()) = entry.time;
    }
  }

  /// Brings the entry that a later find(line) will read first nearer to the processor.
  void prefetch(std::uint64_t line) const { __builtin_prefetch(entries() + home(line)); }

  Entry* entries() const { return memory_.as<Entry>(); }
  std::size_t capacity() const { return capacity_; }

 private:
  // Sixteen neighbours follow each other, so that a granule's lines are found by reading a few places in order.
  std::size_t home(std::uint64_t line) const {
    const std::uint64_t neighbours = line / neighbour_lines;
    const std::uint64_t hash = ((neighbours ^ (neighbours >> 32)) * 0x9e3779b97f4a7c15u) >> shift_;
    return (hash + line % neighbour_lines) & (capacity_ - 1);
  }
  Entry* probe(std::uint64_t line) const {
    std::size_t i = home(line);
    while (entries()[i].line() != line && entries()[i].line() != 0) i = (i + 1) & (capacity_ - 1);
    return entries() + i;
  }
  void swap(SparseTouches& other) noexcept;
  void reserve(std::size_t lines);

  Mapping memory_;
  std::size_t capacity_ = 0;  ///< a power of two, or 0
  std::size_t count_ = 0;
  unsigned shift_ = 63;
};

}  // namespace cachescape::analyze
