// How values of one region of code, a loop's body or a function's, are computed from each other and from memory.
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

namespace cachescape::pass {

inline constexpr std::size_t no_block = std::numeric_limits<std::size_t>::max();

/// A value, and what it is computed from. Of a load that is the address.
struct ValueNode {
  std::vector<std::size_t> from;  ///< nodes that come before this one
  std::size_t block = no_block;   ///< no_block: of no block of the region's own
  bool load = false;              ///< only in blocks of the region's own

  friend bool operator==(const ValueNode&, const ValueNode&) = default;
};

/// What one iteration hands to the next: the carrier begins as what `value` was at the end of the last one.
struct Handover {
  std::size_t value = 0;    ///< a node
  std::size_t carrier = 0;  ///< index into LoadGraph::carriers

  friend bool operator==(const Handover&, const Handover&) = default;
};

/// One iteration is acyclic; what goes round goes through carriers.
struct LoadGraph {
  std::vector<ValueNode> nodes;
  std::vector<std::size_t> carriers;  ///< nodes that are computed from nothing within the iteration
  std::vector<Handover> handovers;
  /// Of each block the next one above that always runs before it in an iteration, or no_block.
  std::vector<std::size_t> block_above;
};

}  // namespace cachescape::pass
