#include "model/sweep.hpp"

#include <gtest/gtest.h>

#include "model/naive_profile.hpp"
#include "model/predict.hpp"

namespace cachescape::model {
namespace {

Profile looping_program() {
  std::vector<Access> accesses;
  for (std::uint64_t i = 0; i < 3000; ++i) {
    const std::uint64_t at = i % 5 == 0 ? i * 7919 % 9000 : i % 100 * 24;
    accesses.push_back({Address{at}, 8, i % 3 == 0 ? AccessKind::write : AccessKind::read,
                        ThreadId{static_cast<std::uint32_t>(i / 100 % 2)}, SiteId{0}});
  }
  return naive::profile_of(accesses,
                           {.lines = {LineSize{5}, LineSize{6}}, .sets = {2, 4, 8, 16}, .ways = 4, .by_thread = true});
}

TEST(Sweep, EqualsPredictPointByPoint) {
  const Profile profile = looping_program();
  for (const std::uint32_t shared_by : {std::uint32_t{1}, std::uint32_t{2}, machine::shared_by_all}) {
    const SweepAxes axes{.name = "L1",
                         .sizes = stepped_sizes(Bytes{128}, Bytes{4096}, Bytes{192}),
                         .ways = {fully_associative, 1, 2, 3, 4, 8},
                         .lines = {LineSize{5}, LineSize{6}},
                         .shared_by = shared_by};
    const auto result = sweep(profile, axes);
    ASSERT_TRUE(result.has_value());
    EXPECT_GT(result->points(), 60u);
    EXPECT_EQ(result->points() + result->left_out, axes.sizes.size() * axes.ways.size() * axes.lines.size());
    std::size_t exact = 0;
    for (std::size_t i = 0; i < result->points(); ++i) {
      const std::uint64_t ways = result->size[i] / result->sets[i] / result->line[i].bytes().value;
      machine::Machine machine;
      machine::Level& level = machine.levels.emplace_back();
      level.name = "L1";
      level.sets = result->sets[i];
      level.ways = ways;
      level.line = result->line[i];
      level.shared_by = shared_by;
      const auto prediction = predict(profile, machine);
      ASSERT_TRUE(prediction.has_value());
      const Tally total = prediction->outcome.levels[0].total();
      EXPECT_EQ(result->misses[i], total.misses) << i;
      EXPECT_DOUBLE_EQ(result->ratio[i], static_cast<double>(total.misses) / static_cast<double>(total.accesses));
      EXPECT_EQ(result->method[i], prediction->levels[0].method);
      if (result->method[i] != Method::sdcm) ++exact;
    }
    EXPECT_GT(exact, 20u);
    EXPECT_LT(exact, result->points());
  }
}

TEST(Sweep, MakesSizes) {
  EXPECT_EQ(doubling_sizes(Bytes{1024}, Bytes{5000}), (std::vector<Bytes>{Bytes{1024}, Bytes{2048}, Bytes{4096}}));
  EXPECT_EQ(doubling_sizes(Bytes{std::uint64_t{1} << 63}, Bytes{~std::uint64_t{0}}).size(), 1u);
  EXPECT_TRUE(doubling_sizes(Bytes{0}, Bytes{10}).empty());
  EXPECT_EQ(stepped_sizes(Bytes{64}, Bytes{200}, Bytes{64}), (std::vector<Bytes>{Bytes{64}, Bytes{128}, Bytes{192}}));
  EXPECT_TRUE(stepped_sizes(Bytes{64}, Bytes{63}, Bytes{1}).empty());
}

TEST(Sweep, RefusesWhatMakesNoSense) {
  const Profile profile = naive::profile_of(naive::accesses_of("ab"), {});
  const auto no_ways = sweep(profile, {.name = "L2", .sizes = {Bytes{64}}, .ways = {}, .lines = {LineSize{6}}});
  ASSERT_FALSE(no_ways.has_value());
  EXPECT_EQ(no_ways.error().what, "the sweep of L2 has no ways; give one at least");
  SweepAxes many{.name = "L2",
                 .sizes = std::vector<Bytes>(20'000, Bytes{64}),
                 .ways = std::vector<std::uint64_t>(20'000, 1),
                 .lines = {LineSize{6}}};
  const auto too_many = sweep(profile, many);
  ASSERT_FALSE(too_many.has_value());
  EXPECT_EQ(too_many.error().kind, ErrorKind::limit);
  const auto no_line = sweep(profile, {.name = "L2", .sizes = {Bytes{64}}, .ways = {1}, .lines = {LineSize{7}}});
  ASSERT_FALSE(no_line.has_value());
  EXPECT_EQ(no_line.error().hint, "record the program again with --lines 64,128");
  const auto no_lines =
      sweep(profile, {.name = "L2", .sizes = {Bytes{64}}, .ways = {1}, .lines = {LineSize{7}, LineSize{8}}});
  ASSERT_FALSE(no_lines.has_value());
  EXPECT_EQ(no_lines.error().hint, "record the program again with --lines 64,128,256");
}

}  // namespace
}  // namespace cachescape::model
