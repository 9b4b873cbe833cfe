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

/// What one touch finds on its way from the block to a word: byte h is 1 where it applies to half h.
struct TreeWalk {
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
    TreeWalk walk{known == path.nodes ? all_halves : halves_of(known, pair), halves_of(agreed, pair)};
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
  static constexpr std::uint64_t all_halves = 0x01'01'01'01'01'01'00;

  /// Of the nodes on the way to `pair`, those in `nodes`.
  static std::uint64_t halves_of(std::uint64_t nodes, std::uint32_t pair) {
    const auto bit = [&](unsigned half) { return (nodes >> ((tree_pairs | pair) >> half) & 1) << 8 * half; };
    return bit(1) | bit(2) | bit(3) | bit(4) | bit(5) | bit(6);
  }

  std::array<std::uint64_t, 2> visited_{};  ///< nodes that were touched
  std::array<std::uint64_t, 2> upper_{};    ///< whose upper half was touched last
};
static_assert(sizeof(BlockTree) == 32);

}  // namespace cachescape::analyze
