// The profile that docs/formats/profile.md shows for sharing and tests/compat/version-3.cscape holds.
#pragma once

#include "profile/naive_profile.hpp"

namespace cachescape::profile {

/// Two threads read a buffer and increment a counter each. The counters lie side by side in a line. Now and then the
/// first thread sets a flag that the second reads.
inline std::vector<Access> sharing_example_accesses() {
  constexpr std::uint64_t counters = 0x1000;
  constexpr std::uint64_t flag = 0x2000;
  constexpr std::uint64_t buffers = 0x10000;
  std::vector<Access> accesses;
  for (std::uint32_t i = 0; i < 20; ++i) {
    for (std::uint32_t t = 0; t < 2; ++t) {
      const ThreadId thread{t};
      accesses.push_back({Address{buffers + t * 4096 + i % 4 * 64}, 8, AccessKind::read, thread, SiteId{}});
      accesses.push_back({Address{counters + t * 8}, 8, AccessKind::modify, thread, SiteId{}});
      const AccessKind kind = t == 0 ? AccessKind::write : AccessKind::read;
      if (i % 5 == 0) accesses.push_back({Address{flag}, 4, kind, thread, SiteId{}});
    }
  }
  return accesses;
}

inline Profile sharing_example() {
  NaivePlan plan;
  plan.lines = {LineSize{6}};
  plan.degrees = {1};
  Profile profile = naive_profile(sharing_example_accesses(), plan);
  profile.provenance = {{"command", "./count 2"}, {"host", "example"}, {"version", "0.1.0"}};
  Places& places = profile.places;
  places.locations = {{"count", "count.c", 12, 14, nowhere}, {"count", "count.c", 13, 7, nowhere},
                      {"post", "count.c", 20, 8, nowhere},   {"wait", "count.c", 25, 10, nowhere},
                      {"", "count.c", 3, 6, nowhere},        {"", "count.c", 4, 5, nowhere}};
  places.blocks = {{"count", "count.c", 0, 1, false, 40, 6},
                   {"post", "count.c", 2, 0, true, 4, 2},
                   {"wait", "count.c", 3, 0, true, 4, 2}};
  places.sites = {{0, 0, "buffer[]", "i64"}, {1, 0, "counters[]", "i64"}, {2, 1, "flag", "i32"}, {3, 2, "flag", "i32"}};
  places.objects = {{Object::Kind::global, "counters", 4, 1, 16, 16}, {Object::Kind::global, "flag", 5, 1, 4, 4}};
  profile.sharing.pairs = {{1, 0, 1, 0, {0, 38}}, {3, 1, 2, 1, {3, 0}}};
  profile.sharing.lines = {{Address{0x1000}, {0, 38}, {{0, 1, 0, true, 0xff}, {1, 1, 0, true, 0xff00}}},
                           {Address{0x2000}, {3, 0}, {{0, 2, 1, true, 0xf}, {1, 3, 1, false, 0xf}}}};
  return profile;
}

}  // namespace cachescape::profile
