// libCacheSim's oracleGeneral: requests for objects, 24 bytes each. docs/formats/imported.md has the layout and says
// how objects become addresses.
#pragma once

#include "observe/imported/import.hpp"

namespace cachescape::imported {

const Format& oracle_general_format();

/// Addresses of the `number`-th object (from 0) to appear: number * object_slot, plus an offset inside the slot that is
/// fixed for the object and spreads objects over the sets of caches with lines shorter than the slot.
inline constexpr std::uint64_t object_slot = 512;
constexpr std::uint64_t object_address(std::uint64_t number) {
  std::uint64_t mixed = number * 0x9e3779b97f4a7c15u;
  mixed ^= mixed >> 32;
  return number * object_slot + mixed % object_slot;
}

}  // namespace cachescape::imported
