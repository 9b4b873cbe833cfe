#include "analyze/distance/front.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <tuple>
#include <vector>

#include "analyze/distance/far_stack.hpp"
#include "analyze/distance/mattson_list.hpp"
#include "analyze/distance/stack_distances.hpp"

namespace cachescape::analyze {
namespace {

struct FrontStream {
  std::vector<Line> lines;
  std::vector<std::uint16_t> groups;
  std::vector<std::uint32_t> weights;
  std::vector<std::uint32_t> places;

  TouchColumns from(std::size_t i) const { return {&lines[i], &groups[i], &weights[i], &places[i]}; }
};

/// Few lines and many, some of which differ in their upper halves only.
FrontStream some_touches() {
  FrontStream s;
  const auto lines = *rc::gen::inRange<std::uint64_t>(1, 40);
  const auto shift = *rc::gen::element(0u, 3u, 16u, 31u, 32u, 33u);
  const auto length = *rc::gen::inRange<std::size_t>(1, 4000);
  std::uint64_t random = *rc::gen::arbitrary<std::uint64_t>();
  for (std::size_t i = 0; i < length; ++i) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    s.lines.emplace_back(((random >> 40) % lines) << shift);
    s.groups.push_back(static_cast<std::uint16_t>((random >> 36) % 6));
    s.weights.push_back(static_cast<std::uint32_t>((random >> 33) % 3));
    s.places.push_back(static_cast<std::uint32_t>((random >> 28) % 5));
  }
  return s;
}

using NearCounts = std::map<std::tuple<std::size_t, std::size_t, std::uint32_t>, std::uint64_t>;

class OnFront : public testing::TestWithParam<InstructionSet> {};
INSTANTIATE_TEST_SUITE_P(Front, OnFront, testing::Values(InstructionSet::portable, InstructionSet::avx2),
                         [](const auto& info) {
                           return std::string(info.param == InstructionSet::avx2 ? "avx2" : "portable");
                         });

TEST_P(OnFront, AndTheFarStackTellEveryDistance) {
  const bool holds = rc::check([&] {
    const FrontStream s = some_touches();
    Front front({.places = true, .path = GetParam()});
    FarStack stack({.path = GetParam(), .window_touches = *rc::gen::element(256u, 512u, 65536u)});
    NearCounts found;
    for (std::size_t taken = 0; taken < s.lines.size();) {
      const auto some = *rc::gen::inRange<std::size_t>(1, 3000);
      taken += front.take(s.from(taken), std::min(some, s.lines.size() - taken));
      const FarTouches& far = front.far();
      std::vector<std::uint32_t> distances(far.count);
      stack.enter(far, distances);
      for (std::size_t i = 0; i < far.count; ++i)
        found[{far.place[i], far.group[i] % 3, distances[i]}] += far.weight[i];
      front.clear_far();
    }
    front.take_near_by_place([&](std::uint32_t place, std::size_t kind, std::uint32_t distance, std::uint64_t times) {
      found[{place, kind, distance}] += times;
    });
    NearCounts expected;
    MattsonList list;
    for (std::size_t i = 0; i < s.lines.size(); ++i)
      expected[{s.places[i], s.groups[i] % 3, list.touch(s.lines[i])}] += s.weights[i];
    std::erase_if(found, [](const auto& c) { return c.second == 0; });
    std::erase_if(expected, [](const auto& c) { return c.second == 0; });
    RC_ASSERT(found == expected);

    std::vector<Line> order = stack.recency_order([](Line) { return true; });
    for (const Line line : front.recency_order()) order.push_back(line);
    MattsonList again;
    for (const Line line : order) again.touch(line);
    for (const Line line : order) RC_ASSERT(again.touch(line) == list.touch(line));
  });
  EXPECT_TRUE(holds);
}

TEST_P(OnFront, NearTouchesAreToldByGroupOnce) {
  for (const bool sets : {false, true}) {
    Front front({.sets = sets, .max_level = 4, .path = GetParam()});
    const FrontStream s{{Line{1}, Line{2}, Line{1}, Line{1}}, {0, 1, 5, 5}, {1, 1, 7, 2}, {0, 0, 0, 0}};
    EXPECT_EQ(front.take(s.from(0), 4), 4u);
    NearCounts near;
    const auto count = [&](std::size_t group, std::uint32_t distance, std::uint64_t times) {
      near[{group, 0, distance}] += times;
    };
    front.take_near(count);
    EXPECT_EQ(near, (NearCounts{{{5, 0, 1}, 7}, {{5, 0, 0}, 2}}));
    near.clear();
    front.take_near(count);
    EXPECT_TRUE(near.empty());
    EXPECT_EQ(front.far().count, 2u);
  }
}

TEST_P(OnFront, AccessesOfMoreThanTwoLinesAreLeftToTheCaller) {
  Front front({.path = GetParam()});
  const std::vector<PackedAccess> accesses{{Address{0}, 8, AccessKind::read, 0},
                                           {Address{60}, 8, AccessKind::read, 0},
                                           {Address{0}, 200, AccessKind::write, 0},
                                           {Address{~std::uint64_t{0} - 3}, 8, AccessKind::write, 0}};
  EXPECT_EQ(front.take(accesses, LineSize{6}), 2u);
  EXPECT_EQ(front.far().count, 2u);
  EXPECT_EQ(front.take(std::span(accesses).subspan(3), LineSize{6}), 0u);
}

TEST_P(OnFront, KeepsItsOrderForever) {
  Front front({.path = GetParam()});
  MattsonList list;
  std::array<std::uint64_t, Front::lines> expected{};
  std::array<std::uint64_t, Front::lines> found{};
  const std::vector<std::uint16_t> groups(1000, 0);
  const std::vector<std::uint32_t> once(1000, 1);
  const std::vector<std::uint32_t> places(1000, 0);
  std::uint64_t random = 1;
  for (unsigned round = 0; round < 200; ++round) {
    std::vector<Line> lines;
    for (unsigned i = 0; i < 1000; ++i) {
      random = random * 6364136223846793005u + 1442695040888963407u;
      lines.emplace_back((random >> 40) % 8);
      if (const std::uint32_t d = list.touch(lines.back()); d != cold_distance) ++expected[d];
    }
    EXPECT_EQ(front.take({lines.data(), groups.data(), once.data(), places.data()}, lines.size()), lines.size());
    front.clear_far();
  }
  front.take_near([&](std::size_t, std::uint32_t distance, std::uint64_t times) { found[distance] += times; });
  EXPECT_EQ(found, expected);
}

TEST(FarStack, FollowsNoMoreLinesThanItMay) {
  FarStack stack({.most_lines = 10});
  Front front(Front::Options{});
  const std::vector<std::uint16_t> groups(30, 0);
  const std::vector<std::uint32_t> once(30, 1);
  const std::vector<std::uint32_t> places(30, 0);
  std::vector<Line> lines;
  for (std::uint64_t i = 0; i < 20; ++i) lines.emplace_back(i);  // ten too many
  for (std::uint64_t i = 0; i < 10; ++i) lines.emplace_back(i);  // those that are followed
  ASSERT_EQ(front.take({lines.data(), groups.data(), once.data(), places.data()}, 30), 30u);
  ASSERT_EQ(front.far().count, 30u);
  std::vector<std::uint32_t> distances(30);
  stack.enter(front.far(), distances);
  EXPECT_EQ(stack.distinct_lines(), 10u);
  for (std::size_t i = 0; i < 20; ++i) EXPECT_EQ(distances[i], cold_distance);
}

}  // namespace
}  // namespace cachescape::analyze
