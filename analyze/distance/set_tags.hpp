// Tags: 32-bit names of 64-bit lines that keep the low bits, from which set indices are taken.
//
// A region is 2^region_log2 consecutive lines (4 MiB of 64-byte lines). Regions are numbered from 1 in the order
// in which they are first touched; a tag is the region's number above the line's place in its region. Tags
// are unique, never 0, and the number of regions seen says how many bits they need.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cachescape::analyze::sets {

/// Not thread-safe. O(1) per line.
class RegionTags {
 public:
  /// Precondition: region_log2 is 16 … 20.
  explicit RegionTags(unsigned region_log2);

  unsigned region_log2() const { return region_log2_; }
  std::size_t regions() const { return region_.size() - 1; }

  /// The tag of a line, 0 where no tag is left for its region. The topmost region never has one, so that
  /// line 2^64 − 1 never does.
  std::uint32_t tag(std::uint64_t line) {
    const std::uint64_t region = line >> region_log2_;
    const Slot* slot = &slots_[home(region)];
    if (slot->region != region || slot->number == 0) [[unlikely]] {
      slot = search(region);
      if (slot == nullptr) return 0;
    }
    return slot->number << region_log2_ | static_cast<std::uint32_t>(line & low_mask_);
  }

  /// The line of a tag that tag() gave.
  std::uint64_t line(std::uint32_t tag) const {
    return region_[tag >> region_log2_] << region_log2_ | (tag & low_mask_);
  }

  std::uint64_t memory_bytes() const;

 private:
  struct Slot {
    std::uint64_t region = 0;
    std::uint32_t number = 0;  ///< 0: free
  };

  std::size_t home(std::uint64_t region) const { return (region * 0x9e3779b97f4a7c15u) >> shift_; }
  const Slot* search(std::uint64_t region);
  Slot* place(std::uint64_t region);
  void grow();

  unsigned region_log2_;
  std::uint64_t low_mask_;
  unsigned shift_;
  std::vector<Slot> slots_;
  std::vector<std::uint64_t> region_;  ///< by number; [0] is unused
};

}  // namespace cachescape::analyze::sets
