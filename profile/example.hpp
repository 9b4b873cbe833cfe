// The profile that docs/formats/profile.md shows and tests/compat/version-2.cscape holds.
#pragma once

#include "profile/naive_profile.hpp"

namespace cachescape::profile {

/// One thread transposes a 16 × 16 matrix of doubles, another adds up its first quarter over and over.
inline std::vector<Access> example_accesses() {
  constexpr std::uint64_t a = 0x10000;
  constexpr std::uint64_t b = 0x20000;
  constexpr std::uint64_t sum = 0x30000;
  std::vector<Access> accesses;
  for (std::uint64_t i = 0; i < 16; ++i) {
    for (std::uint64_t j = 0; j < 16; ++j) {
      const std::uint64_t n = i * 16 + j;
      accesses.push_back({Address{a + 8 * n}, 8, AccessKind::read, ThreadId{0}, SiteId{}});
      accesses.push_back({Address{b + 8 * (j * 16 + i)}, 8, AccessKind::write, ThreadId{0}, SiteId{}});
      accesses.push_back({Address{a + 8 * (n % 64)}, 8, AccessKind::read, ThreadId{1}, SiteId{}});
      if (n % 8 == 7) accesses.push_back({Address{sum}, 8, AccessKind::modify, ThreadId{1}, SiteId{}});
    }
  }
  return accesses;
}

inline Profile example_profile() {
  Profile profile = naive_profile(example_accesses());
  profile.provenance = {{"command", "./transpose 16"}, {"host", "example"}, {"version", "0.1.0"}};
  profile.instructions = 4096;
  return profile;
}

}  // namespace cachescape::profile
