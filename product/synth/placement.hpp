// Where in memory the blocks of a seed lie, and where their words lie in them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "product/signature/signature.hpp"
#include "product/synth/depth_bins.hpp"
#include "product/synth/random.hpp"

namespace cachescape::synth {

struct Placement {
  std::vector<std::uint32_t> places;  ///< of each block, in units of blocks; all different
  /// The words of a block are turned over: halves whose bit is set change places. That changes no distance and no half,
  /// but the first lines of blocks, which are the most used, do not all meet in the same sets.
  std::vector<std::uint8_t> turns;
  std::uint32_t end = 0;  ///< behind the last

  /// The address of a word of a block, in words of 4 bytes.
  std::uint64_t word(std::uint32_t block, std::uint8_t word) const {
    return std::uint64_t{places[block]} * 128 + (word ^ turns[block]);
  }
};

/// Programs mostly use memory that lies close together, which fills the sets of a cache evenly: so a new block is put
/// where the blocks that are in use leave room. A crowded one lies as far from the one before as the program's own did.
class Placer {
 public:
  /// `steps` must outlive it; nullptr = not known. `expected` blocks keep memory small where there are few.
  Placer(const signature::Detail* steps, std::uint64_t expected);

  /// The next block in order. `recent` knows the blocks before.
  void place(const DepthBins& recent, bool crowded, Random& random);
  const Placement& placement() const { return placement_; }
  /// Moves blocks together, none to other sets of first-level caches: of those that meet there, the ones with most
  /// `visits` (one for each block) come to lie first. What is used much then lies close together, as in programs, which
  /// is what caches serve well whose number of sets is no power of two.
  void gather(std::span<const std::uint32_t> visits);
  Placement take() { return std::move(placement_); }

 private:
  std::uint32_t step(Random& random) const;
  std::uint32_t column_with_room(const DepthBins& recent) const;

  const signature::Detail* steps_;
  std::uint64_t all_steps_ = 0;
  /// The place of the block with a number among those of its kind.
  std::uint32_t place_in(std::vector<std::uint32_t>& rows, std::uint32_t number);

  /// Memory is rows of 4,096 blocks, so that blocks of one column meet in the sets of most caches. Crowded blocks have
  /// rows of their own; the others fill theirs, by columns of fewer blocks where there are few.
  std::uint32_t width_ = 0;
  std::uint32_t column_ = 0;
  std::uint32_t rows_ = 0;
  std::vector<std::uint32_t> dense_rows_;
  std::vector<std::uint32_t> crowded_rows_;
  std::vector<std::uint32_t> used_;                  ///< by each column
  std::vector<std::uint32_t> crowded_;               ///< likewise
  std::vector<std::vector<std::uint32_t>> meeting_;  ///< blocks by column of first-level caches
  Placement placement_;
};

}  // namespace cachescape::synth
