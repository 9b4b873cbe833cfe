// What is counted of all caches of one degree of sharing, while it is being collected.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "analyze/coherence/hole_sets.hpp"
#include "analyze/distance/distance_counts.hpp"
#include "cachescape/sharing.hpp"

namespace cachescape::analyze {

/// Where a line was in a group's caches when it was taken from them.
struct Loss {
  std::uint32_t depth = 0;
  HoleSets::Depths set_depths{};
};

/// As CoherentProfile, whose members explain these.
struct CoherentCounters {
  std::array<DistanceCounts, access_kinds> kept;
  std::array<std::array<DistanceCounts, sharing_kinds>, access_kinds> lost;
  DistanceCounts taken;
  DistanceCounts remote;
  DistanceCounts upgrades;
  std::array<DistanceCounts, 2> msi_upgrades;
  DistanceCounts write_backs;
  std::uint64_t always_written_back = 0;
  /// By logarithm of the number of sets, kind, sharing, depth.
  std::vector<std::uint64_t> lost_in_sets;
  unsigned levels = 0;
  unsigned ways = 0;

  CoherentCounters(unsigned set_levels, unsigned set_ways)
      : lost_in_sets(std::size_t{set_levels} * access_kinds * sharing_kinds * set_ways),
        levels(set_levels),
        ways(set_ways) {}

  std::size_t in_sets(unsigned level, std::size_t kind, std::size_t sharing) const {
    return ((level * access_kinds + kind) * sharing_kinds + sharing) * ways;
  }
  void add_loss(AccessKind kind, SharingKind sharing, const Loss& loss) {
    const auto k = static_cast<std::size_t>(kind);
    const auto s = static_cast<std::size_t>(sharing);
    lost[k][s].add(loss.depth, 1);
    for (unsigned level = 0; level < levels; ++level)
      if (loss.set_depths[level] < ways) ++lost_in_sets[in_sets(level, k, s) + loss.set_depths[level]];
  }
};

}  // namespace cachescape::analyze
