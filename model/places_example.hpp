// A small program for tests: sum() calls get(), which was inlined into it; main() fills an array on its heap.
#pragma once

#include "cachescape/profile.hpp"

namespace cachescape::model {

/// Three sites (main's store, get's load inside sum, sum's update of a global) and two objects. The distances of the
/// sites are 4 cold, then 0; 1, 40 and 96; 0: counts are small enough to add up by hand.
inline Profile example_program() {
  Profile profile;
  profile.threads = {{ThreadId{0}, {10, 8, 6}}};
  profile.bytes = 24 * 8;
  Places& p = profile.places;
  p.locations = {{"main", "sum.c", 12, 5, nowhere}, {"sum", "sum.c", 7, 9, nowhere}, {"get", "get.h", 2, 3, 1}};
  p.blocks = {{"main", "sum.c", 0, 1, false, 8, 5}, {"sum", "sum.c", 1, 1, false, 10, 7}};
  p.sites = {{0, 0, "a[]", "i64"}, {2, 1, "a[]", "i64"}, {1, 1, "total", "i64"}};
  p.objects = {{Object::Kind::heap, "main", 0, 1, 64, 64}, {Object::Kind::global, "total", nowhere, 1, 8, 8}};
  p.counted = {{"loads", 0, 0},    {"stores", 0, 8},        {"bytes.stored", 0, 64},        {"instructions", 0, 40},
               {"loads", 1, 16},   {"stores", 1, 6},        {"bytes.loaded", 1, 128},       {"bytes.stored", 1, 48},
               {"int.ops", 1, 10}, {"instructions", 1, 70}, {"branches.conditional", 1, 11}};
  PlaceDistances fill{0, {0, 8, 0}, 64, {}};
  fill.kinds[1] = {{{0, 4}}, 4};
  PlaceDistances load{1, {10, 0, 0}, 80, {}};
  load.kinds[0] = {{{1, 5}, {40, 3}, {96, 2}}, 0};
  PlaceDistances update{2, {0, 0, 6}, 48, {}};
  update.kinds[2] = {{{0, 5}}, 1};
  p.site_distances = {fill, load, update};
  PlaceDistances array{0, {10, 8, 0}, 144, {}};
  array.kinds[0] = load.kinds[0];
  array.kinds[1] = fill.kinds[1];
  PlaceDistances total = update;
  total.place = 1;
  p.object_distances = {array, total};
  return profile;
}

}  // namespace cachescape::model
