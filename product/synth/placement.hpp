// Where in memory the blocks of a seed lie.
#pragma once

#include <cstdint>
#include <vector>

#include "product/signature/signature.hpp"
#include "product/synth/random.hpp"

namespace cachescape::synth {

struct Placement {
  std::vector<std::uint32_t> places;  ///< of each block, in units of blocks; all different
  std::uint32_t end = 0;              ///< behind the last
};

/// One after the other; or, where it is known how far apart a program's blocks lie that it touches one after the other,
/// as far apart as that: then as many of them meet in the sets of a cache as in the program.
Placement place_blocks(std::uint64_t blocks, const signature::Detail* detail, Random& random);

}  // namespace cachescape::synth
