#include "model/miss_curve.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <random>

#include "model/naive_profile.hpp"
#include "model/scaling.hpp"
#include "model/sdcm.hpp"
#include "model/sdcm_hits.hpp"

namespace cachescape::model {
namespace {

constexpr std::size_t read = 0;
constexpr std::size_t write = 1;

// PPT-SASMM, Table 1: D = ∞ ∞ 1 ∞ 2 ∞ 0 3.
TEST(MissCurve, CountsTheWorkedExample) {
  const auto accesses = naive::accesses_of("abacbdda");
  const StackProfile stack = naive::stack_profile(accesses, {}, LineSize{6});
  EXPECT_EQ(stack.kinds[read].bins, (std::vector<Bin>{{0, 1}, {1, 1}, {2, 1}, {3, 1}}));
  const MissCurve curve(stack, {});
  EXPECT_EQ(sum(curve.touches()), 8u);
  EXPECT_EQ(sum(curve.cold()), 4u);
  const std::vector<std::uint64_t> expected{8, 7, 6, 5, 4, 4, 4};
  for (std::size_t lines = 0; lines < expected.size(); ++lines)
    EXPECT_EQ(sum(curve.misses(lines)), expected[lines]) << lines;
}

TEST(MissCurve, KeepsKindsApart) {
  StackProfile stack;
  stack.kinds[read] = {{{0, 10}, {5, 3}}, 2};
  stack.kinds[write] = {{{4, 7}, {5, 1}}, 4};
  const MissCurve curve(stack, {});
  EXPECT_EQ(curve.touches(), (KindCounts{15, 12, 0}));
  EXPECT_EQ(curve.misses(1), (KindCounts{5, 12, 0}));
  EXPECT_EQ(curve.misses(5), (KindCounts{5, 5, 0}));
  EXPECT_EQ(curve.misses(6), (KindCounts{2, 4, 0}));
}

TEST(MissCurve, OfNothingIsZero) {
  const MissCurve curve(StackProfile{}, {});
  EXPECT_EQ(curve.misses(0), KindCounts{});
  EXPECT_EQ(curve.misses(100), KindCounts{});
  EXPECT_EQ(curve.scaled_misses(sdcm_hits(curve, 64, 4)), KindCounts{});
}

RC_GTEST_PROP(MissCurve, NeverRisesWithLines, (std::vector<std::uint8_t> letters)) {
  std::vector<Access> accesses;
  for (const std::uint8_t l : letters) {
    accesses.push_back({Address{l * std::uint64_t{16}}, 8, static_cast<AccessKind>(l % 3), ThreadId{0}, SiteId{0}});
  }
  const StackProfile stack = naive::stack_profile(accesses, {}, LineSize{6});
  const MissCurve curve(stack, {});
  for (std::uint64_t lines = 0; lines < 70; ++lines) {
    const KindCounts now = curve.misses(lines);
    const KindCounts more = curve.misses(lines + 1);
    for (std::size_t k = 0; k < access_kinds; ++k) {
      RC_ASSERT(more[k] <= now[k]);
      RC_ASSERT(more[k] >= curve.cold()[k]);
      RC_ASSERT(now[k] == curve.touches()[k] - stack.kinds[k].below(lines));
    }
  }
}

// The interpolated sum against the sum over every bin.
TEST(SdcmHits, AgreeWithTheSumOverEveryBin) {
  std::mt19937_64 random(7);
  StackProfile stack;
  std::uint64_t d = 0;
  for (int i = 0; i < 60'000; ++i) {
    d += 1 + random() % 4;
    (random() % 3 == 0 ? stack.kinds[write] : stack.kinds[read]).bins.push_back({d, 1 + random() % 1000});
  }
  const MissCurve curve(stack, {});
  for (const std::uint64_t ways : {1u, 2u, 8u, 16u, 64u}) {
    for (const std::uint64_t lines : {64u, 1024u, 32768u, 100'000u}) {
      const auto hits = sdcm_hits(curve, static_cast<double>(lines), ways);
      for (const std::size_t k : {read, write}) {
        double expected = 0;
        for (const Bin& b : stack.kinds[k].bins) {
          expected += static_cast<double>(b.count) * sdcm_hit_probability(b.value, static_cast<double>(lines), ways);
        }
        EXPECT_NEAR(hits[k], expected, 1e-5 * static_cast<double>(curve.touches()[k]))
            << lines << " lines, " << ways << " ways";
      }
    }
  }
}

TEST(SdcmHits, OfAFullyAssociativeCacheAreThoseOfTheCurve) {
  StackProfile stack;
  for (std::uint64_t d = 0; d < 5000; ++d) stack.kinds[read].bins.push_back({d, d % 7 + 1});
  stack.kinds[read].cold = 11;
  const MissCurve curve(stack, {});
  for (const std::uint64_t lines : {1u, 2u, 100u, 4999u, 5000u, 6000u}) {
    EXPECT_EQ(curve.scaled_misses(sdcm_hits(curve, static_cast<double>(lines), lines)), curve.misses(lines)) << lines;
  }
}

Profile sampled_profile(Sampling sampling) {
  Profile profile;
  profile.threads = {{ThreadId{0}, {1000, 200, 0}}};
  StackProfile stack;
  stack.kinds[read] = {{{0, 60}, {100, 20}}, 10};
  stack.kinds[write] = {{{50, 8}}, 4};
  stack.footprint_lines = 14;
  profile.stacks = {stack};
  profile.sampling = sampling;
  return profile;
}

TEST(Scaling, OfLinesMakesUpTheRestAtDistanceZero) {
  const Profile profile = sampled_profile({.method = Sampling::Method::shards_size, .rate = 0.1, .analysed = 102});
  const Scaling scaling = scaling_of(profile, {});
  EXPECT_DOUBLE_EQ(scaling.weight, 10);
  const MissCurve curve(profile.stacks[0], scaling);
  EXPECT_EQ(curve.touches(), (KindCounts{1000, 200, 0}));
  EXPECT_EQ(curve.cold(), (KindCounts{100, 40, 0}));
  EXPECT_EQ(curve.misses(0), (KindCounts{1000, 200, 0}));
  EXPECT_EQ(curve.misses(1), (KindCounts{300, 120, 0}));
  EXPECT_EQ(curve.misses(51), (KindCounts{300, 40, 0}));
  EXPECT_EQ(curve.misses(101), (KindCounts{100, 40, 0}));
}

TEST(Scaling, NeverHasFewerTouchesThanMisses) {
  Profile profile = sampled_profile({.method = Sampling::Method::shards_rate, .rate = 0.1, .analysed = 102});
  profile.threads[0].accesses = {150, 200, 0};
  const MissCurve curve(profile.stacks[0], scaling_of(profile, {}));
  EXPECT_EQ(curve.touches(), (KindCounts{300, 200, 0}));
  EXPECT_EQ(curve.misses(1), (KindCounts{300, 120, 0}));
}

TEST(Scaling, OfIntervalsIsAccessesOverAnalysed) {
  const Profile profile =
      sampled_profile({.method = Sampling::Method::interval, .rate = 0.1, .on = 10, .off = 90, .analysed = 120});
  const Scaling scaling = scaling_of(profile, {});
  EXPECT_DOUBLE_EQ(scaling.weight, 10);
  EXPECT_DOUBLE_EQ(scaling.windows, 12);
  const MissCurve curve(profile.stacks[0], scaling);
  EXPECT_EQ(curve.touches(), (KindCounts{900, 120, 0}));
  EXPECT_EQ(curve.misses(60), (KindCounts{300, 40, 0}));
}

}  // namespace
}  // namespace cachescape::model
