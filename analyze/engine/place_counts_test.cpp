#include "analyze/engine/place_counts.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace cachescape::analyze {
namespace {

void expect_same_step(std::uint32_t distance) {
  const std::size_t bin = PlaceCounts::bin_of(distance);
  EXPECT_EQ(PlaceCounts::distance_of(bin), place_distance(distance)) << distance;
  EXPECT_EQ(PlaceCounts::bin_of(static_cast<std::uint32_t>(PlaceCounts::distance_of(bin))), bin) << distance;
}

TEST(PlaceCounts, StepsAreThoseOfPlaceDistance) {
  for (std::uint32_t distance = 0; distance < 100'000; ++distance) expect_same_step(distance);
  for (unsigned bit = 5; bit < 32; ++bit) {
    const std::uint32_t power = std::uint32_t{1} << bit;
    for (const std::uint32_t distance : {power - 1, power, power + 1, power + power / 16, power + power / 16 - 1})
      expect_same_step(distance);
  }
  expect_same_step(0xffffffff);
}

RC_GTEST_PROP(PlaceCounts, StepsAscendWithDistances, (std::uint32_t a, std::uint32_t b)) {
  RC_ASSERT((place_distance(a) < place_distance(b)) == (PlaceCounts::bin_of(a) < PlaceCounts::bin_of(b)));
}

TEST(PlaceCounts, NumbersStepsWithoutGaps) {
  std::size_t last = 0;
  for (std::uint32_t distance = 0; distance < 100'000; ++distance) {
    const std::size_t bin = PlaceCounts::bin_of(distance);
    EXPECT_TRUE(bin == last || bin == last + 1) << distance;
    last = bin;
  }
}

TEST(PlaceCounts, HalvingTheResolutionHalvesEveryDistance) {
  PlaceCounts counts;
  for (const std::uint32_t distance : {0u, 1u, 2u, 3u, 31u, 32u, 33u, 34u, 100u, 1024u, 4'000'000'000u})
    counts.add(2, 1, distance, 10);
  counts.add_cold(2, 1, 7);
  counts.halve_resolution();
  const auto all = counts.distances(2, 1);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].place, 2u);
  EXPECT_EQ(all[0].kinds[1].cold, 7u);
  // 100 was counted as 100 of the step 100 … 103, 4·10⁹ as the step below it.
  const std::vector<Bin> expected{{0, 20},  {2, 20},   {30, 10},   {32, 20},
                                  {34, 10}, {100, 10}, {1024, 10}, {place_distance(4'000'000'000u), 10}};
  EXPECT_EQ(all[0].kinds[1].bins, expected);
}

TEST(PlaceCounts, ScalesCountsAndLosesNone) {
  PlaceCounts counts;
  for (std::uint32_t distance = 0; distance < 10; ++distance) counts.add(0, 0, distance, 3);
  const auto all = counts.distances(1, 4);
  std::uint64_t sum = 0;
  for (const Bin& bin : all[0].kinds[0].bins) sum += bin.count;
  EXPECT_EQ(sum, 30u / 4);
}

}  // namespace
}  // namespace cachescape::analyze
