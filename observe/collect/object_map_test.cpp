#include "observe/collect/object_map.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "observe/collect/place_numbers.hpp"

namespace cachescape::collect {
namespace {

/// Every byte of a small address space knows its object and the allocation that it belongs to.
class NaiveMap {
 public:
  void put(std::uint64_t begin, std::uint64_t end, std::uint32_t object) {
    for (std::uint64_t at = begin; at < end; ++at)
      if (bytes_[at].first != nowhere) remove(bytes_[at].second);
    for (std::uint64_t at = begin; at < end; ++at) bytes_[at] = {object, begin};
  }
  void free(std::uint64_t begin) {
    if (bytes_[begin].first != nowhere && bytes_[begin].second == begin) remove(begin);
  }
  void unmap(std::uint64_t begin, std::uint64_t end) {
    if (begin == end) return;
    for (std::uint64_t at = begin; at < end; ++at) bytes_[at].first = nowhere;
    // What is left behind that is an allocation by itself.
    const std::uint64_t of = bytes_[end].second;
    for (std::uint64_t at = end; of < end && at < size && bytes_[at].second == of; ++at) bytes_[at].second = end;
  }
  std::uint32_t at(std::uint64_t address) const { return bytes_[address].first; }

  static constexpr std::uint64_t size = 300;

 private:
  void remove(std::uint64_t begin) {
    for (auto& [object, its_begin] : bytes_)
      if (object != nowhere && its_begin == begin) object = nowhere;
  }
  std::vector<std::pair<std::uint32_t, std::uint64_t>> bytes_ = std::vector(size, std::pair{nowhere, std::uint64_t{0}});
};

// Small objects at multiples of 16 are kept otherwise: these all lie elsewhere.
RC_GTEST_PROP(ObjectMap, AgreesWithANaiveTwin, ()) {
  ObjectMap map;
  NaiveMap naive;
  const ModuleSet modules;
  std::map<std::uint32_t, std::uint32_t> objects;
  const int steps = *rc::gen::inRange(1, 60);
  for (int i = 0; i < steps; ++i) {
    const auto begin = *rc::gen::inRange<std::uint64_t>(0, (NaiveMap::size - 50) / 2) * 2 + 1;
    const int action = *rc::gen::inRange(0, 6);
    if (action < 2) {
      map.free(begin);
      naive.free(begin);
    } else if (action == 2) {
      const auto bytes = *rc::gen::inRange<std::uint64_t>(0, 50);
      map.unmap(begin, bytes);
      naive.unmap(begin, begin + bytes);
    } else {
      const auto bytes = *rc::gen::inRange<std::uint64_t>(0, 50);
      const auto site = *rc::gen::inRange<std::uint32_t>(0, 5);
      map.allocate(begin, bytes, {.site = site}, modules);
      const auto number = static_cast<std::uint32_t>(objects.size());
      naive.put(begin, begin + bytes, objects.try_emplace(site, number).first->second);
    }
    for (std::uint64_t at = 0; at < NaiveMap::size; ++at) {
      const ObjectMap::Stretch stretch = map.around(at);
      const bool same = stretch.object == naive.at(at) && stretch.begin <= at && at < stretch.end &&
                        stretch.object == naive.at(stretch.begin) &&
                        stretch.object == naive.at(std::min(stretch.end, NaiveMap::size) - 1);
      if (!same) RC_FAIL("another object, or a stretch that does not hold it");
    }
  }
}

TEST(ObjectMap, WhatIsUnmappedIsGone) {
  ObjectMap map;
  const ModuleSet modules;
  for (std::uint64_t page = 1; page < 4; ++page) map.allocate(page * 4096, 4096, {.site = 1}, modules);
  map.unmap(4096, 2 * 4096);
  EXPECT_EQ(map.object_at(4096), nowhere);
  EXPECT_EQ(map.object_at(3 * 4096 - 1), nowhere);
  EXPECT_EQ(map.object_at(3 * 4096), 0u);
  // Memory that comes and goes is no more than there was at a time.
  for (int i = 0; i < 5; ++i) {
    map.allocate(1 << 20, 1 << 16, {.site = 2}, modules);
    map.unmap(1 << 20, 1 << 15);
    map.unmap((1 << 20) + (1 << 15), 1 << 15);
  }
  EXPECT_EQ(map.objects()[1].most_bytes, 1u << 16);
}

/// Objects that begin at multiples of 16, small and large, one in the place of another.
RC_GTEST_PROP(ObjectMap, SmallAndLargeObjectsTakeTurns, ()) {
  ObjectMap map;
  const ModuleSet modules;
  constexpr std::uint64_t room = 1u << 18;
  std::map<std::uint64_t, std::pair<std::uint64_t, std::uint32_t>> live;  // end and site by begin
  std::map<std::uint32_t, std::uint32_t> objects;
  PlaceNumbers numbers;
  const auto object_at = [&](std::uint64_t address) {
    numbers.follow(map, 1);
    return numbers.pairs()[numbers.number(0, address, map)].object;
  };
  for (int i = 0; i < 40; ++i) {
    const auto begin = *rc::gen::inRange<std::uint64_t>(0, 64) * 4096;
    if (const auto old = live.find(begin); old != live.end()) {
      map.free(begin);
      live.erase(old);
    }
    // As an allocator does it: no two objects that live overlap.
    const auto bytes = *rc::gen::element<std::uint64_t>(1, 16, 24, 400, 4096, 4097, 9000, 70'000);
    const auto end = std::min(begin + bytes, room);
    const auto next = live.lower_bound(begin);
    if (next != live.end() && next->first < end) continue;
    if (next != live.begin() && std::prev(next)->second.first > begin) continue;
    const auto site = *rc::gen::inRange<std::uint32_t>(0, 5);
    map.allocate(begin, end - begin, {.site = site}, modules);
    objects.try_emplace(site, static_cast<std::uint32_t>(objects.size()));
    live[begin] = {end, site};
    for (const auto& [at, object] : live) {
      RC_ASSERT(object_at(at) == objects[object.second]);
      RC_ASSERT(object_at(object.first - 1) == objects[object.second]);
      RC_ASSERT(object_at((at + object.first) / 2) == objects[object.second]);
    }
  }
}

TEST(ObjectMap, KnowsGlobalsStacksAndWhatWasLiveAtOnce) {
  ObjectMap map;
  const ModuleSet modules;
  map.add_global({Address{100}, 50, "table", nowhere});
  map.add_stack(1000, 2000);
  map.add_stack(3000, 4000);
  EXPECT_EQ(map.objects()[map.around(149).object].name, "table");
  EXPECT_EQ(map.around(150).object, nowhere);
  EXPECT_EQ(map.around(1000).object, map.around(3999).object);
  map.allocate(201, 10, {.site = 7}, modules);
  map.allocate(220, 10, {.site = 7}, modules);
  map.free(201);
  map.allocate(241, 5, {.site = 7}, modules);
  const Object& heap = map.objects()[map.around(241).object];
  EXPECT_EQ(heap.allocations, 3u);
  EXPECT_EQ(heap.bytes, 25u);
  EXPECT_EQ(heap.most_bytes, 20u);
}

TEST(ObjectMap, TakesARangeThatReachesBeyondTheAddressSpace) {
  ObjectMap map;
  const ModuleSet modules;
  map.allocate(~std::uint64_t{0} - 10, 100, {.site = 0}, modules);
  EXPECT_EQ(map.object_at(~std::uint64_t{0} - 5), 0u);
}

class Numbers : public testing::Test {
 protected:
  std::uint32_t number(std::uint32_t site, std::uint64_t address) {
    numbers_.follow(map_, 5);
    return numbers_.number(site, address, map_);
  }

  ObjectMap map_;
  const ModuleSet modules_;
  PlaceNumbers numbers_;
};

TEST_F(Numbers, AreDenseAndFollowTheObjects) {
  map_.allocate(100, 50, {.site = 0}, modules_);
  EXPECT_EQ(number(4, 100), 1u);
  EXPECT_EQ(number(4, 149), 1u);
  EXPECT_EQ(number(4, 150), 2u);
  EXPECT_EQ(number(2, 100), 3u);
  map_.free(100);
  EXPECT_EQ(number(4, 100), 2u);
  map_.allocate(100, 50, {.site = 9}, modules_);
  EXPECT_EQ(number(4, 100), 4u);
  ASSERT_EQ(numbers_.pairs().size(), 5u);
  EXPECT_EQ(numbers_.pairs()[0].site, nowhere);
  EXPECT_EQ(numbers_.pairs()[2].site, 4u);
  EXPECT_EQ(numbers_.pairs()[2].object, nowhere);
  EXPECT_EQ(numbers_.pairs()[4].object, 1u);
}

TEST_F(Numbers, SeeSmallObjectsInStretchesOfNone) {
  map_.allocate(0x20000, 16, {.site = 0}, modules_);
  EXPECT_EQ(number(0, 0x10000), 1u);
  EXPECT_EQ(number(0, 0x20000), 2u);
  EXPECT_EQ(number(0, 0x20010), 1u);
  EXPECT_EQ(number(0, 0x20008), 2u);
}

TEST_F(Numbers, KnowWhatComesToLieWhereNothingWas) {
  EXPECT_EQ(number(0, 0x10000), 1u);
  map_.allocate(0x20000, 16, {.site = 0}, modules_);
  EXPECT_EQ(number(0, 0x20000), 2u);
  EXPECT_EQ(number(0, 0x10000), 1u);
  EXPECT_EQ(number(1, 0x10000), 3u);
  map_.allocate(0x10000, 0x8000, {.site = 0}, modules_);
  EXPECT_EQ(number(0, 0x10000), 2u);
  EXPECT_EQ(number(0, 0x18000), 1u);
  map_.free(0x10000);
  EXPECT_EQ(number(1, 0x10000), 3u);
}

}  // namespace
}  // namespace cachescape::collect
