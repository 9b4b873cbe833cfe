// Where in memory the blocks of a seed lie, and where their words lie in them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "product/signature/signature.hpp"
#include "product/synth/generator.hpp"
#include "product/synth/random.hpp"

namespace cachescape::synth {

struct Placement {
  std::vector<std::uint32_t> places;  ///< of each block, in units of blocks; all different
  /// The words of a block are turned over: halves whose bit is set change places. That changes no distance and no half,
  /// but the first lines of blocks, which are the most used, do not all meet in the same sets.
  std::vector<std::uint8_t> turns;
  std::uint32_t end = 0;  ///< behind the last

  /// The address of a reference, in words of 4 bytes.
  std::uint64_t word(const Reference& reference) const {
    return std::uint64_t{places[reference.block]} * 128 + (reference.word ^ turns[reference.block]);
  }
};

/// Programs mostly use memory that lies close together, which fills the sets of a cache evenly: so a new block is put
/// where the blocks that are in use leave room. Some, a share `crowding` of all, lie as far from the one before as the
/// program's own did.
Placement place_blocks(std::span<const Reference> references, std::uint64_t blocks, const signature::Detail& detail,
                       double crowding, Random& random);

/// Of some degrees of crowding the one whose hit rates in caches with sets are nearest to the signature's.
Placement best_placement(std::span<const Reference> references, std::uint64_t blocks, const signature::Detail& detail,
                         std::uint64_t random_seed);

}  // namespace cachescape::synth
