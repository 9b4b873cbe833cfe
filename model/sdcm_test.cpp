#include "model/sdcm.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

namespace cachescape::model {
namespace {

/// The paper's sum, term by term in log space.
double by_terms(std::uint64_t distance, std::uint64_t lines, std::uint64_t ways) {
  const auto d = static_cast<long double>(distance);
  const long double p = static_cast<long double>(ways) / static_cast<long double>(lines);
  long double sum = 0;
  for (std::uint64_t i = 0; i < ways && i <= distance; ++i) {
    const auto a = static_cast<long double>(i);
    const long double choose = std::lgamma(d + 1) - std::lgamma(a + 1) - std::lgamma(d - a + 1);
    sum += std::exp(choose + a * std::log(p) + (d - a) * std::log1p(-p));
  }
  return static_cast<double>(sum);
}

TEST(Sdcm, EqualsFractionsWorkedOutByHand) {
  // Two ways, four lines: p = 1/2. D = 2: (1/2)^2 + 2 (1/2)^2 = 3/4; D = 3: 1/8 + 3/8; D = 4: 1/16 + 4/16.
  EXPECT_DOUBLE_EQ(sdcm_hit_probability(2, 4, 2), 0.75);
  EXPECT_DOUBLE_EQ(sdcm_hit_probability(3, 4, 2), 0.5);
  EXPECT_DOUBLE_EQ(sdcm_hit_probability(4, 4, 2), 0.3125);
  // Three ways, twelve lines: p = 1/4. D = 3: 1 − 1/64; D = 4: (81 + 4·27 + 6·9)/256.
  EXPECT_DOUBLE_EQ(sdcm_hit_probability(3, 12, 3), 63.0 / 64);
  EXPECT_DOUBLE_EQ(sdcm_hit_probability(4, 12, 3), 243.0 / 256);
}

TEST(Sdcm, DirectMappedIsAPower) {
  EXPECT_DOUBLE_EQ(sdcm_hit_probability(0, 8, 1), 1);
  EXPECT_DOUBLE_EQ(sdcm_hit_probability(1, 8, 1), 7.0 / 8);
  EXPECT_DOUBLE_EQ(sdcm_hit_probability(2, 8, 1), 49.0 / 64);
  EXPECT_NEAR(sdcm_hit_probability(1'000'000'000, 1'000'000'000, 1), std::exp(-1.0), 1e-9);
}

TEST(Sdcm, EqualsTheSumOfTerms) {
  for (const std::uint64_t ways : {1u, 2u, 4u, 7u, 16u, 64u}) {
    for (const std::uint64_t sets : {2u, 3u, 64u, 358u, 4096u}) {
      const std::uint64_t lines = sets * ways;
      for (const std::uint64_t d :
           {std::uint64_t{0}, ways - 1, ways, lines / 2, lines, lines + lines / 3, 2 * lines, 5 * lines}) {
        EXPECT_NEAR(sdcm_hit_probability(d, static_cast<double>(lines), ways), by_terms(d, lines, ways), 1e-9)
            << "D " << d << ", lines " << lines << ", ways " << ways;
      }
    }
  }
}

TEST(Sdcm, IsStableAtDistancesOfBillions) {
  const std::uint64_t ways = 64;
  const std::uint64_t lines = std::uint64_t{1} << 30;
  for (const std::uint64_t d :
       {std::uint64_t{900'000'000}, std::uint64_t{1'073'741'824}, std::uint64_t{1'300'000'000}}) {
    const double p = sdcm_hit_probability(d, static_cast<double>(lines), ways);
    EXPECT_NEAR(p, by_terms(d, lines, ways), 1e-6) << d;
    EXPECT_GT(p, 0.001);
    EXPECT_LT(p, 0.999);
  }
  EXPECT_EQ(sdcm_hit_probability(std::uint64_t{1} << 52, 512, 64), 0);
}

TEST(Sdcm, IsAStepWhereWaysAreAllLines) {
  for (const std::uint64_t lines : {1u, 2u, 5u, 64u, 4096u}) {
    const auto b = static_cast<double>(lines);
    EXPECT_EQ(sdcm_hit_probability(lines - 1, b, lines), 1);
    EXPECT_EQ(sdcm_hit_probability(lines, b, lines), 0);
    EXPECT_EQ(sdcm_hit_probability(lines + 1'000'000'000, b, lines), 0);
  }
  // Half a line more than two: D = 2 still hits.
  EXPECT_EQ(sdcm_hit_probability(2, 2.5, 4), 1);
  EXPECT_EQ(sdcm_hit_probability(3, 2.5, 4), 0);
}

TEST(Sdcm, FallsWithDistanceAndRisesWithLines) {
  for (const std::uint64_t ways : {1u, 3u, 16u}) {
    double before = 1;
    for (std::uint64_t d = 0; d < 1000; ++d) {
      const double p = sdcm_hit_probability(d, 16.0 * static_cast<double>(ways), ways);
      EXPECT_LE(p, before + 1e-14);
      EXPECT_LE(p, sdcm_hit_probability(d, 32.0 * static_cast<double>(ways), ways) + 1e-14);
      before = p;
    }
  }
}

TEST(Sdcm, RisesWithWaysAtEqualSets) {
  for (std::uint64_t d = 0; d < 300; ++d) {
    double before = 0;
    for (std::uint64_t ways = 1; ways <= 64; ++ways) {
      const double p = sdcm_hit_probability(d, 32.0 * static_cast<double>(ways), ways);
      EXPECT_GE(p, before - 1e-14);
      before = p;
    }
  }
}

}  // namespace
}  // namespace cachescape::model
