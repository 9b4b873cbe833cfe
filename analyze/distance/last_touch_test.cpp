#include "analyze/distance/last_touch.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstdint>
#include <random>
#include <set>
#include <unordered_map>
#include <vector>

namespace cachescape::analyze {
namespace {

std::uint32_t* find_after_making_room(LastTouch& map, std::uint64_t line) {
  std::uint32_t* time = map.find(line);
  if (time != nullptr) return time;
  map.make_room(line);
  return map.find(line);
}

TEST(LastTouch, KeepsEveryTimeThroughEveryMove) {
  const bool holds = rc::check("as std::unordered_map", [] {
    const auto slack = *rc::gen::element<std::size_t>(0, 30 << 10, 200 << 10, 16 << 20);
    std::mt19937_64 random(*rc::gen::arbitrary<std::uint64_t>());
    LastTouch map(slack);
    std::unordered_map<std::uint64_t, std::uint32_t> want;
    for (std::uint32_t time = 1; time < 20000; ++time) {
      std::uint64_t line = 0;
      switch (random() % 5) {
        case 0:
          line = random();
          break;
        case 1:
          line = random() >> 16;
          break;
        case 2:
          line = random() % 100000;
          break;
        case 3:
          line = ~(random() % 10);
          break;
        default:
          line = (std::uint64_t{1} << 40) + random() % 3000;
          break;
      }
      std::uint32_t* const at = find_after_making_room(map, line);
      RC_ASSERT(at != nullptr);
      RC_ASSERT(*at == want[line]);
      if (*at == 0) map.add_lines(1);
      *at = time;
      want[line] = time;
    }
    for (const auto& [line, time] : want) {
      const std::uint32_t* const at = map.peek(line);
      RC_ASSERT(at != nullptr);
      RC_ASSERT(*at == time);
    }
    // Every time appears exactly once among the runs.
    std::multiset<std::uint32_t> expected;
    for (const auto& [line, time] : want) expected.insert(time);
    std::multiset<std::uint32_t> found;
    for (std::size_t r = 0; r < map.runs(); ++r) {
      const LastTouch::Run run = map.run(r);
      for (std::size_t i = 0; i < run.count; ++i)
        if (run.first[i * run.stride] != 0) found.insert(run.first[i * run.stride]);
    }
    RC_ASSERT(found == expected);
  });
  EXPECT_TRUE(holds);
}

TEST(LastTouch, PeekCreatesNothing) {
  LastTouch map(16 << 20);
  const std::size_t before = map.memory_bytes();
  EXPECT_EQ(map.peek(123456789), nullptr);
  EXPECT_EQ(map.peek(~std::uint64_t{0}), nullptr);
  EXPECT_EQ(map.memory_bytes(), before);
}

TEST(LastTouch, PointersStayWhereNoRoomHasToBeMade) {
  LastTouch map(16 << 20);
  std::uint32_t* const first = map.find(5000);
  ASSERT_NE(first, nullptr);
  *first = 77;
  for (std::uint64_t line = 0; line < 100000; line += 100) ASSERT_NE(map.find(line), nullptr);
  EXPECT_EQ(map.find(5000), first);
  EXPECT_EQ(*first, 77);
}

TEST(LastTouch, DenseLinesReturnToTheShadowAfterScatteredOnes) {
  LastTouch map(64 << 10);
  for (std::uint64_t i = 1; i <= 10000; ++i) {
    *find_after_making_room(map, i << 30 >> 14) = 1;
    map.add_lines(1);
  }
  const std::size_t before = map.memory_bytes();
  for (std::uint64_t i = 0; i < 400000; ++i) {
    *find_after_making_room(map, (std::uint64_t{3} << 46) + i) = 1;
    map.add_lines(1);
  }
  EXPECT_LT(map.memory_bytes() - before, 400000 * 5);
}

TEST(LastTouch, ScatteredLinesStayWithinTheirBytes) {
  constexpr std::size_t slack = 1 << 20;
  LastTouch map(slack);
  std::mt19937_64 random(1);
  for (std::size_t n = 1; n <= 300000; ++n) {
    *find_after_making_room(map, random() >> 17) = 1;
    map.add_lines(1);
    // 32 bytes of shadow, 32 of hash table, and the smallest table and pages that any map has.
    ASSERT_LE(map.memory_bytes(), slack + n * 64 + (64 << 10)) << n;
  }
}

}  // namespace
}  // namespace cachescape::analyze
