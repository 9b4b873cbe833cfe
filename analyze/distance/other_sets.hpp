// Set distances for numbers of sets that are not powers of two.
//
// Such numbers have no order among themselves that would let one walk serve many, and no front can tell how lines fall
// into their sets: each is an array of its own, indexed by the line modulo the number, that sees every touch of another
// line than the one before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "analyze/distance/instruction_set.hpp"
#include "analyze/distance/set_pages.hpp"
#include "analyze/distance/set_state.hpp"
#include "cachescape/quantity.hpp"

namespace cachescape::analyze {

/// Exact for all 64-bit line numbers; how touches are cut into process() calls does not matter. Used by one thread at a
/// time. Each number costs about as much as one simulation. Throws std::bad_alloc where memory runs out.
class OtherSets {
 public:
  /// Preconditions: 1 <= ways <= 32, and set counts that check(SetGrid) lets pass.
  OtherSets(std::span<const std::uint64_t> set_counts, unsigned ways, std::size_t groups,
            InstructionSet path = InstructionSet::automatic);

  /// Preconditions: columns of one length; every group is below the number of groups.
  void process(std::span<const Line> lines, std::span<const std::uint16_t> groups,
               std::span<const std::uint32_t> weights);

  /// counts[d]: touches of a group at this distance, for 16 or 32 distances; empty where the set count is not one of
  /// these.
  std::vector<std::uint64_t> hits(std::uint64_t sets, std::size_t group) const;

  std::uint64_t memory_bytes() const;

 private:
  struct Single {
    std::uint64_t sets;
    sets::ZeroedPages pages;
    std::vector<std::uint64_t> counters;
  };

  unsigned capacity_;
  sets::Kernels kernels_;
  std::vector<Single> singles_;
  std::vector<std::uint64_t> repeats_;  ///< by group
  std::unique_ptr<sets::TouchList> list_ = std::make_unique<sets::TouchList>();
  std::uint64_t previous_ = 0;
  bool any_ = false;  ///< whether previous_ is a touch
  bool zero_tag_seen_ = false;
};

}  // namespace cachescape::analyze
