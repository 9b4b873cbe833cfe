// The profile that docs/formats/profile.md shows and tests/compat/version-3.cscape holds.
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

/// transpose() reads a and writes b; add(), which was inlined into main(), reads a and updates a sum that no object
/// owns.
inline Places example_places(std::span<const Access> accesses) {
  Places places;
  places.locations = {{"transpose", "transpose.c", 5, 22, nowhere},
                      {"transpose", "transpose.c", 5, 10, nowhere},
                      {"main", "transpose.c", 20, 3, nowhere},
                      {"add", "add.h", 4, 12, 2},
                      {"", "transpose.c", 1, 15, nowhere}};
  places.blocks = {{"transpose", "transpose.c", 0, 2, false, 256, 9}, {"main", "transpose.c", 3, 1, false, 256, 7}};
  places.sites = {{0, 0, "a[][]", "f64"}, {1, 0, "b[][]", "f64"}, {3, 1, "a[]", "f64"}, {3, 1, "sum", "f64"}};
  places.objects = {{Object::Kind::global, "a", 4, 1, 2048, 2048}, {Object::Kind::heap, "main", 2, 1, 2048, 2048}};
  places.counted = {{"loads", 0, 256}, {"stores", 0, 256},         {"bytes.loaded", 0, 2048}, {"bytes.stored", 0, 2048},
                    {"loads", 1, 288}, {"stores", 1, 32},          {"bytes.loaded", 1, 2304}, {"bytes.stored", 1, 256},
                    {"flops", 1, 256}, {"call.printf", nowhere, 1}};
  places.contexts = {{nowhere, "main", "transpose.c", false, 1}, {0, "transpose", "transpose.c", false, 1}};
  places.context_counted = {{0, "bytes.loaded", 2304}, {0, "bytes.stored", 256}, {0, "flops", 256},
                            {0, "loads", 288},         {0, "stores", 32},        {1, "bytes.loaded", 2048},
                            {1, "bytes.stored", 2048}, {1, "loads", 256},        {1, "stores", 256}};
  NaiveStack stack;
  std::array<std::array<std::map<std::uint64_t, std::uint64_t>, access_kinds>, 6> bins;
  std::array<PlaceDistances, 6> sums{};
  for (const Access& a : accesses) {
    const auto kind = static_cast<std::size_t>(a.kind);
    const std::size_t site = a.thread.value == 0 ? (writes(a.kind) ? 1 : 0) : (writes(a.kind) ? 3 : 2);
    constexpr std::array<std::size_t, 4> owners = {4, 5, 4, 3};
    const auto distance = stack.touch(places.line.line_of(a.address));
    for (const std::size_t place : std::set{site, owners[site]}) {
      ++sums[place].accesses[kind];
      sums[place].bytes += a.size;
      if (distance) {
        ++bins[place][kind][place_distance(*distance)];
      } else {
        ++sums[place].kinds[kind].cold;
      }
    }
  }
  for (std::uint32_t i = 0; i < sums.size(); ++i) {
    const bool object = i >= 4;
    sums[i].place = object ? i - 4 : i;
    for (std::size_t k = 0; k < access_kinds; ++k) sums[i].kinds[k].bins = bins_of(bins[i][k]);
    (object ? places.object_distances : places.site_distances).push_back(sums[i]);
  }
  return places;
}

inline Profile example_profile() {
  Profile profile = naive_profile(example_accesses());
  profile.provenance = {{"command", "./transpose 16"}, {"host", "example"}, {"version", "0.1.0"}};
  profile.instructions = 4096;
  profile.places = example_places(example_accesses());
  return profile;
}

}  // namespace cachescape::profile
