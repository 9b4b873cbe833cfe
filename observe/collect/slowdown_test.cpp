#include "observe/collect/slowdown.hpp"

#include <gtest/gtest.h>

namespace cachescape::collect {
namespace {

TEST(Slowdown, IsTimeOverTheTimeThatInstructionsUsuallyTake) {
  EXPECT_DOUBLE_EQ(*slowdown(2'000'000'000, 30, 1e9), 15);
  EXPECT_DOUBLE_EQ(*slowdown(2'000'000'000, 30, 4e9), 60);
}

TEST(Slowdown, IsNotToldOfVeryShortOrUncountedPrograms) {
  EXPECT_FALSE(slowdown(0, 30, 1e9));
  EXPECT_FALSE(slowdown(9'999'999, 30, 1e9));
  EXPECT_TRUE(slowdown(10'000'001, 30, 1e9));
}

// From the slowest processor that anybody would use to the fastest that there will be.
TEST(Slowdown, ProcessorsExecuteBillionsOfInstructions) {
  EXPECT_GT(usual_instructions_per_second(), 1e8);
  EXPECT_LT(usual_instructions_per_second(), 3e10);
}

}  // namespace
}  // namespace cachescape::collect
