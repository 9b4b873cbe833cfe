#include "model/curves.hpp"

#include <gtest/gtest.h>

#include "model/naive_profile.hpp"
#include "model/surface.hpp"

namespace cachescape::model {
namespace {

TEST(Curves, ShowEveryChangeOfTheWorkedExample) {
  const StackProfile stack = naive::stack_profile(naive::accesses_of("abacbdda"), {}, LineSize{6});
  const MissCurve curve(stack, {});
  EXPECT_EQ(curve_at_changes(curve),
            (std::vector<CurvePoint>{{0, 8, 1}, {1, 7, 0.875}, {2, 6, 0.75}, {3, 5, 0.625}, {4, 4, 0.5}}));
  EXPECT_EQ(curve_at(curve, std::vector<std::uint64_t>{2, 1000}),
            (std::vector<CurvePoint>{{2, 6, 0.75}, {1000, 4, 0.5}}));
  EXPECT_EQ(typical_distance(stack), (TypicalDistance{1.5, 1}));
}

TEST(Curves, TellLoadsFromStores) {
  // a b A c B a: the capital letters are stores. Distances: a ∞, b ∞, A 1, c ∞, B 2, a 2.
  std::vector<Access> accesses = naive::accesses_of("abacba");
  accesses[2].kind = AccessKind::write;
  accesses[4].kind = AccessKind::write;
  const StackProfile stack = naive::stack_profile(accesses, {}, LineSize{6});
  const MissCurve curve(stack, {});
  EXPECT_EQ(curve_at_changes(curve, Kinds::loads), (std::vector<CurvePoint>{{0, 4, 1}, {3, 3, 0.75}}));
  EXPECT_EQ(curve_at_changes(curve, Kinds::stores), (std::vector<CurvePoint>{{0, 2, 1}, {2, 1, 0.5}, {3, 0, 0}}));
  EXPECT_EQ(typical_distance(stack, Kinds::loads), (TypicalDistance{2, 0}));
  EXPECT_EQ(typical_distance(stack, Kinds::stores), (TypicalDistance{1.5, 0.5}));
  accesses[4].kind = AccessKind::modify;
  const MissCurve modified(naive::stack_profile(accesses, {}, LineSize{6}), {});
  EXPECT_EQ(curve_at(modified, std::vector<std::uint64_t>{3}, Kinds::loads), (std::vector<CurvePoint>{{3, 3, 0.6}}));
}

TEST(Curves, FindTheKnees) {
  // 40 % fit into 10 lines and a little more into 11, half of the touches into 100; a fall of 1 % is no knee.
  const std::vector<CurvePoint> points{{0, 100, 1}, {10, 60, 0.6}, {11, 59, 0.59}, {100, 9, 0.09}, {1000, 8, 0.08}};
  const auto found = knees(points);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].at, points[1]);
  EXPECT_DOUBLE_EQ(found[0].saved, 0.4);
  EXPECT_EQ(found[1].at, points[3]);
  EXPECT_DOUBLE_EQ(found[1].saved, 0.5);
  EXPECT_TRUE(knees(std::vector<CurvePoint>{{0, 4, 1}}).empty());
  EXPECT_TRUE(knees({}).empty());
}

TEST(Curves, SeeOneKneeInAGradualFallOfOneDoubling) {
  const std::vector<CurvePoint> points{{0, 100, 1}, {40, 80, 0.8}, {50, 60, 0.6}, {60, 40, 0.4}, {70, 20, 0.2}};
  const auto found = knees(points);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].at, points[4]);
  EXPECT_DOUBLE_EQ(found[0].saved, 0.8);
}

TEST(Curves, SpaceSizesByDoublings) {
  EXPECT_EQ(spaced_sizes(1, 16, 1), (std::vector<std::uint64_t>{1, 2, 4, 8, 16}));
  EXPECT_EQ(spaced_sizes(1, 9, 2), (std::vector<std::uint64_t>{1, 2, 3, 4, 6, 8, 9}));
  EXPECT_EQ(spaced_sizes(5, 5, 4), (std::vector<std::uint64_t>{5}));
}

TEST(Curves, FindTheTypicalDistance) {
  StackProfile stack;
  EXPECT_FALSE(typical_distance(stack).has_value());
  stack.kinds[0].bins = {{1, 1}, {100, 2}};
  stack.kinds[1].bins = {{3, 2}};
  // 1 3 3 100 100: median 3; deviations 2 0 0 97 97: median 2.
  EXPECT_EQ(typical_distance(stack), (TypicalDistance{3, 2}));
}

TEST(Curves, FindTheSmallestMemoryForAShareOfTouches) {
  // One line touched 50 times, ten touched 4 times, ten touched once: 100 touches.
  const std::vector<Bin> popularity{{1, 10}, {4, 10}, {50, 1}};
  const std::vector<MemoryUse> usage = memory_usage(popularity);
  ASSERT_EQ(usage.size(), 20u);
  EXPECT_EQ(usage[0], (MemoryUse{5, 1}));
  EXPECT_EQ(usage[9], (MemoryUse{50, 1}));
  EXPECT_EQ(usage[10], (MemoryUse{55, 3}));
  EXPECT_EQ(usage[17], (MemoryUse{90, 11}));
  EXPECT_EQ(usage[18], (MemoryUse{95, 16}));
  EXPECT_EQ(usage[19], (MemoryUse{100, 21}));
  EXPECT_EQ(memory_usage(popularity, 0.1)[19], (MemoryUse{100, 210}));
  EXPECT_TRUE(memory_usage({}).empty());
}

std::vector<Access> sweep_of_words(std::uint64_t bytes, std::uint64_t stride) {
  std::vector<Access> accesses;
  for (std::uint64_t at = 0; at < bytes; at += stride) {
    accesses.push_back({Address{at}, 4, AccessKind::read, ThreadId{0}, SiteId{0}});
  }
  return accesses;
}

const std::vector<LineSize> all_widths{LineSize{2}, LineSize{3}, LineSize{4}, LineSize{5},
                                       LineSize{6}, LineSize{7}, LineSize{8}, LineSize{9}};

TEST(Curves, SpatialUseIsOneForASweepAndZeroForStrides) {
  const naive::ProfileOptions options{.lines = {LineSize{4}, LineSize{6}}};
  const Streams dense(naive::profile_of(sweep_of_words(4096, 4), options));
  const auto uses = spatial_use(dense, Bytes{512});
  ASSERT_EQ(uses.size(), 2u);
  EXPECT_EQ(uses[0], (SpatialUse{LineSize{4}, 256, std::nullopt}));
  EXPECT_EQ(uses[1].misses, 64u);
  EXPECT_DOUBLE_EQ(*uses[1].use, 1);
  const Streams sparse(naive::profile_of(sweep_of_words(4096, 64), options));
  EXPECT_DOUBLE_EQ(*spatial_use(sparse, Bytes{512})[1].use, 0);
}

TEST(Surface, OfASweepDependsOnWidthAlone) {
  const auto got = surface(naive::profile_of(sweep_of_words(2048, 4), {.lines = all_widths}));
  ASSERT_TRUE(got.has_value());
  ASSERT_EQ(got->widths, all_widths);
  EXPECT_TRUE(got->missing_widths.empty());
  for (std::size_t w = 0; w < all_widths.size(); ++w) {
    for (std::size_t d = 0; d < surface_depths; ++d) {
      EXPECT_DOUBLE_EQ(got->hit(w, d), 1 - 4.0 / static_cast<double>(all_widths[w].bytes().value));
    }
  }
}

TEST(Surface, KnowsDepths) {
  // Four lines in turn, ten times: D = 3.
  std::vector<Access> accesses;
  for (int round = 0; round < 10; ++round) {
    for (const Access& a : sweep_of_words(256, 64)) accesses.push_back(a);
  }
  const auto got = surface(naive::profile_of(accesses, {.lines = {LineSize{6}}}));
  ASSERT_TRUE(got.has_value());
  EXPECT_EQ(got->missing_widths.size(), 7u);
  EXPECT_EQ(got->touches, std::vector<std::uint64_t>{40});
  EXPECT_DOUBLE_EQ(got->hit(0, 1), 0);
  EXPECT_DOUBLE_EQ(got->hit(0, 2), 0.9);
  EXPECT_FALSE(surface(Profile{}).has_value());
}

}  // namespace
}  // namespace cachescape::model
