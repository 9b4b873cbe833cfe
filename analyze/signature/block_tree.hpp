// The halves in which the parts of a block were last touched.
//
// A block of 512 bytes has two halves, each of which has two halves, and so on down to a word: a binary tree with a
// node for each part that has halves. Nodes are numbered as in a heap, the block itself 1, the halves of n 2n and 2n +
// 1, so that those of 16 bytes and more fit one 64-bit mask and those of 8 bytes a second one. 32 bytes per block.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "cachescape/signature.hpp"

namespace cachescape::analyze {

/// What one touch finds on its way from the block to a word: a byte is 1 where it applies to that half. The last byte
/// is free.
struct TreeWalk {
  /// By half, the lowest bit of its byte: where it takes fewest operations to get it.
  static constexpr std::array<unsigned, signature_halves> lanes{0, 40, 32, 24, 8, 48, 16};

  std::uint64_t again = 0;  ///< the part that has these halves was touched before
  std::uint64_t same = 0;   ///< and in the same half

  friend constexpr bool operator==(const TreeWalk&, const TreeWalk&) = default;
};

/// The nodes from the block to one of its 64 pairs of 4-byte words, without that pair.
struct TreePath {
  std::uint64_t nodes = 0;
  std::uint64_t upper = 0;  ///< of which the way goes on in the upper half
};

inline constexpr std::size_t tree_pairs = 64;
inline constexpr std::array<TreePath, tree_pairs> tree_paths = [] {
  std::array<TreePath, tree_pairs> all{};
  for (std::uint32_t pair = 0; pair < tree_pairs; ++pair) {
    for (unsigned half = 1; half < signature_halves; ++half) {
      const std::uint64_t node = std::uint64_t{1} << ((tree_pairs | pair) >> half);
      all[pair].nodes |= node;
      if ((pair >> (half - 1) & 1) != 0) all[pair].upper |= node;
    }
  }
  return all;
}();

class BlockTree {
 public:
  /// A touch of the word at `offset`, a byte within the block. Word: 4 or 8.
  template <std::uint32_t Word>
  TreeWalk touch(std::uint32_t offset) {
    static_assert(Word == 4 || Word == 8);
    const std::uint32_t pair = offset >> 3;
    const TreePath& path = tree_paths[pair];
    const std::uint64_t known = visited_[0] & path.nodes;
    const std::uint64_t agreed = known & ~(upper_[0] ^ path.upper);
    TreeWalk walk{known == path.nodes ? all_halves : halves_of(known), halves_of(agreed)};
    visited_[0] |= path.nodes;
    upper_[0] = (upper_[0] & ~path.nodes) | path.upper;
    if constexpr (Word == 4) {
      const std::uint64_t upper = offset >> 2 & 1;
      const std::uint64_t known_pair = visited_[1] >> pair & 1;
      walk.again |= known_pair;
      walk.same |= known_pair & ~((upper_[1] >> pair) ^ upper);
      visited_[1] |= std::uint64_t{1} << pair;
      upper_[1] = (upper_[1] & ~(std::uint64_t{1} << pair)) | upper << pair;
    }
    return walk;
  }

 private:
  /// But the first, which has its own mask.
  static constexpr std::uint64_t all_halves = [] {
    std::uint64_t all = 0;
    for (std::size_t half = 1; half < signature_halves; ++half) all |= std::uint64_t{1} << TreeWalk::lanes[half];
    return all;
  }();

  /// The halves of `nodes`, which lie on one path: at most one in each level, 2^(6 − h) … 2^(7 − h) − 1 for half h.
  /// Adding all ones to a level carries into the bit above it where there is one; every other level at a time, so that
  /// there is room for it.
  static constexpr std::uint64_t halves_of(std::uint64_t nodes) {
    constexpr std::uint64_t even = 0xffff'0000 | 0xf0 | 0x2;             // halves 2, 4, 6
    constexpr std::uint64_t odd = 0x7fff'ffff'8000'0000 | 0x7f80 | 0x6;  // halves 1, 3, 5, one bit to the right
    const std::uint64_t at_even = (nodes & even) + even;                 // carries into bits 32, 8, 2
    const std::uint64_t at_odd = (nodes >> 1 & odd) + odd;               // carries into bits 63, 15, 3
    constexpr auto bit = [](unsigned n) { return std::uint64_t{1} << n; };
    return (at_even & (bit(32) | bit(8))) | (at_even & bit(2)) << 14 | (at_odd >> 23 & bit(40)) |
           (at_odd & bit(15)) << 9 | (at_odd & bit(3)) << 45;
  }

  std::array<std::uint64_t, 2> visited_{};  ///< nodes that were touched
  std::array<std::uint64_t, 2> upper_{};    ///< whose upper half was touched last
};
static_assert(sizeof(BlockTree) == 32);

}  // namespace cachescape::analyze
