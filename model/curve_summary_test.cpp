#include "model/curve_summary.hpp"

#include <gtest/gtest.h>

#include "model/naive_profile.hpp"

namespace cachescape::model {
namespace {

TEST(CurveSummary, PutsTheWorkedExampleTogether) {
  const Profile profile =
      naive::profile_of(naive::accesses_of("abacbdda"), {.lines = {LineSize{5}, LineSize{6}, LineSize{7}}});
  const auto got = summarise_curves(profile, {.line = {}, .kinds = Kinds::all, .spatial_size = Bytes{128}});
  ASSERT_TRUE(got.has_value());
  EXPECT_EQ(got->line, LineSize{6});
  EXPECT_EQ(got->touches, 8u);
  EXPECT_EQ(got->cold, 4u);
  EXPECT_FALSE(got->sampled);
  ASSERT_EQ(got->points.size(), 5u);
  EXPECT_EQ(got->points.back(), (CurvePoint{4, 4, 0.5}));
  EXPECT_EQ(got->distance, (TypicalDistance{1.5, 1}));
  // Four 32-byte lines hold all four letters, as do two of 64 bytes two of them, and one of 128 bytes a pair.
  ASSERT_EQ(got->spatial.size(), 3u);
  EXPECT_EQ(got->spatial[0].misses, 4u);
  EXPECT_EQ(got->spatial[1].misses, 6u);
  EXPECT_EQ(got->usage_line, LineSize{6});
  ASSERT_EQ(got->usage.size(), 20u);
  EXPECT_EQ(got->usage.back(), (MemoryUse{100, 4}));
}

TEST(CurveSummary, TakesTheRecordedLineNearestTo64Bytes) {
  const auto line_of = [](std::vector<LineSize> lines) {
    const auto got = summarise_curves(naive::profile_of(naive::accesses_of("ab"), {.lines = std::move(lines)}), {});
    return got.has_value() ? got->line.bytes().value : 0;
  };
  EXPECT_EQ(line_of({LineSize{2}, LineSize{5}, LineSize{8}}), 32u);
  EXPECT_EQ(line_of({LineSize{5}, LineSize{7}}), 32u);
  EXPECT_EQ(line_of({LineSize{3}, LineSize{7}}), 128u);
}

TEST(CurveSummary, NamesTheLineSizesThatThereAre) {
  const Profile profile = naive::profile_of(naive::accesses_of("ab"), {.lines = {LineSize{5}, LineSize{6}}});
  const auto got = summarise_curves(profile, {.line = LineSize{7}});
  ASSERT_FALSE(got.has_value());
  EXPECT_EQ(got.error().kind, ErrorKind::unsupported);
  EXPECT_EQ(got.error().what, "the profile has no stack distances of 128-byte lines; it has those of 32, 64 bytes");
  EXPECT_EQ(summarise_curves(Profile{}, {}).error().what, "the profile has no stack distances of all threads together");
}

}  // namespace
}  // namespace cachescape::model
