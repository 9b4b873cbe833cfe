// How files number what happens to touches and between caches.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

#include "cachescape/sharing.hpp"

namespace cachescape::profile {

/// Fate 0: the line was kept; 1 + SharingKind: it was lost.
inline constexpr std::size_t sharing_fates = 1 + sharing_kinds;
inline constexpr std::size_t sharing_events = 6;
inline constexpr std::array<std::string_view, sharing_events> event_names = {
    "taken", "remote", "upgrades", "MSI upgrades", "ends of MSI upgrades", "write-backs"};

/// The histogram of a fate. `Counts` is CoherentCounts, const or not.
template <class Counts>
auto& bins_of_fate(Counts& counts, std::size_t fate) {
  return fate == 0 ? counts.kept.bins : counts.lost[fate - 1];
}

/// The counts of a fate. `Sets` is CoherentSets, const or not.
template <class Sets>
auto& cells_of_fate(Sets& sets, std::size_t kind, std::size_t fate) {
  return fate == 0 ? sets.kept[kind] : sets.lost[kind][fate - 1];
}

/// The histogram of an event. `Profile` is CoherentProfile, const or not.
template <class Profile>
auto& bins_of_event(Profile& profile, std::size_t event) {
  switch (event) {
    case 0:
      return profile.taken;
    case 1:
      return profile.remote;
    case 2:
      return profile.upgrades;
    case 3:
    case 4:
      return profile.msi_upgrades[event - 3];
    default:
      return profile.write_backs;
  }
}

/// Without first touches.
inline std::uint64_t count_of(const std::vector<Bin>& bins) {
  std::uint64_t n = 0;
  for (const Bin& b : bins) n += b.count;
  return n;
}

inline std::uint64_t touches_of(const CoherentCounts& counts) {
  std::uint64_t n = counts.kept.cold;
  for (std::size_t fate = 0; fate < sharing_fates; ++fate) n += count_of(bins_of_fate(counts, fate));
  return n;
}

}  // namespace cachescape::profile
