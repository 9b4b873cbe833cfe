// What is passed over, and what stands for more than itself.
#include <gtest/gtest.h>

#include "analyze/engine/naive_analysis.hpp"

namespace cachescape {
namespace {

using analyze::one_line_size;

AccessBatch reads(std::uint64_t first_line, std::size_t count, std::uint64_t place) {
  AccessBatch batch;
  for (std::size_t i = 0; i < count; ++i)
    batch.push({Address{(first_line + i) * 64}, 8, AccessKind::read, ThreadId{0}, SiteId{place}});
  return batch;
}

TEST(Sampling, PassingOverIsAsGoodAsNotLooking) {
  AnalysisOptions options = one_line_size();
  options.places = true;
  options.sampling.method = Sampling::Method::interval;
  options.sampling.on = 10;
  options.sampling.off = 30;
  auto looking = Analyzer::create(options);
  auto passing = Analyzer::create(options);
  for (std::uint64_t round = 0; round < 20; ++round) {
    const AccessBatch on = reads(round, 10, 1);
    const AccessBatch off = reads(100 + round, 30, 2);
    looking->consume(on);
    looking->consume(off);
    EXPECT_EQ(passing->unwanted(), 0u);
    passing->consume(on);
    EXPECT_EQ(passing->unwanted(), 30u);
    passing->pass_over(ThreadId{0}, {30, 0, 0}, 240);
  }
  const Profile profile = passing->profile();
  EXPECT_EQ(profile, looking->profile());
  EXPECT_EQ(profile.sampling.analysed, 200u);
  EXPECT_EQ(profile.threads[0].accesses[0], 800u);
  // Places stand for the accesses that were passed over.
  ASSERT_EQ(profile.places.site_distances.size(), 1u);
  EXPECT_EQ(profile.places.site_distances[0].accesses[0], 800u);
}

TEST(Sampling, BlocksStandForTheirExecutions) {
  AnalysisOptions options = one_line_size();
  options.lines = {LineSize{5}, LineSize{6}};
  options.places = true;
  options.sampling.method = Sampling::Method::blocks;
  auto analyzer = Analyzer::create(options);
  analyzer->consume(reads(0, 10, 1));  // ten cold touches
  analyzer->consume(reads(0, 10, 2));  // ten at distance 9
  analyzer->pass_over(ThreadId{0}, {30, 0, 0}, 240);
  const Profile profile = analyzer->profile(std::vector<double>{1, 1, 2.5});
  ASSERT_EQ(profile.stacks.size(), 2u);
  for (const StackProfile& stack : profile.stacks) {
    EXPECT_EQ(stack.kinds[0].cold, 10u);
    EXPECT_EQ(stack.kinds[0].bins, (std::vector<Bin>{{9, 25}}));
    EXPECT_EQ(stack.footprint_lines, 10u);
  }
  EXPECT_TRUE(profile.sets.empty());
  EXPECT_DOUBLE_EQ(profile.sampling.rate, 0.4);
  ASSERT_EQ(profile.places.site_distances.size(), 2u);
  EXPECT_EQ(profile.places.site_distances[1].accesses[0], 25u);
}

TEST(Sampling, BlocksNeedPlaces) {
  AnalysisOptions options = one_line_size();
  options.sampling.method = Sampling::Method::blocks;
  EXPECT_FALSE(Analyzer::create(options));
}

}  // namespace
}  // namespace cachescape
