// What is counted of all caches of one degree of sharing, while it is being collected.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "analyze/coherence/hole_sets.hpp"
#include "analyze/coherence/narrow_counts.hpp"
#include "cachescape/sharing.hpp"

namespace cachescape::analyze {

/// As CoherentProfile, whose members explain these.
struct CoherentCounters {
  std::array<NarrowCounts, access_kinds> kept;
  KindCounts cold{};
  std::array<std::array<NarrowCounts, sharing_kinds>, access_kinds> lost;
  NarrowCounts taken;
  NarrowCounts remote;
  NarrowCounts upgrades;
  std::array<NarrowCounts, 2> msi_upgrades;
  NarrowCounts write_backs;
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
  void add_loss_in_sets(AccessKind kind, SharingKind sharing, const HoleSets::Depths& depths) {
    const auto k = static_cast<std::size_t>(kind);
    const auto s = static_cast<std::size_t>(sharing);
    for (unsigned level = 0; level < levels; ++level)
      if (depths[level] < ways) ++lost_in_sets[in_sets(level, k, s) + depths[level]];
  }
};

}  // namespace cachescape::analyze
