// The window of recent time in which stack distances are counted.
//
// One bit per touch, in order; a bit is set while that touch is the last one of its line. The number of set bits after
// a line's last touch is its stack distance (Bennett and Kruskal 1975). Above the bits stand three levels of counts,
// 64 to one, so that a count reads one part of each: leaves of 128 touches (8 bits), groups of 2^13 (16 bits), blocks
// of 2^19 (32 bits) with a suffix sum over the blocks.
//
// Plain storage: the arithmetic is in stack_kernel.hpp, once per instruction set. About 0.17 bytes per touch.
#pragma once

#include <cstddef>
#include <cstdint>

#include "analyze/distance/last_touch_memory.hpp"

namespace cachescape::analyze {

struct StackWindow {
  static constexpr unsigned word_bits = 6;
  static constexpr unsigned leaf_bits = 7;
  static constexpr unsigned group_bits = 13;
  static constexpr unsigned block_bits = 19;
  static constexpr std::uint64_t word_touches = 64;
  static constexpr std::uint64_t most_touches = std::uint64_t{1} << 32;  ///< times are 32 bits
  /// Times below this one are not used: 0 means "never".
  static constexpr std::uint64_t first_time = word_touches;

  /// An empty window. Precondition: touches is a multiple of 128 in [256, most_touches].
  explicit StackWindow(std::uint64_t touches);

  /// Forgets all touches.
  void clear();

  std::size_t memory_bytes() const { return memory_.bytes(); }

  std::uint64_t touches = 0;  ///< times are below this
  std::uint64_t* words = nullptr;
  std::uint8_t* leaves = nullptr;        ///< set bits per leaf, padded to whole groups
  std::uint16_t* groups = nullptr;       ///< set bits per group, padded to whole blocks
  std::uint32_t* blocks = nullptr;       ///< set bits per block, padded to eight
  std::uint32_t* after_block = nullptr;  ///< set bits in all later blocks, as of the batch that last asked
  std::uint32_t* ranks = nullptr;        ///< for compaction: set bits before each leaf

 private:
  Mapping memory_;
};

}  // namespace cachescape::analyze
