#include "product/proxy/spread.hpp"

#include <gtest/gtest.h>

namespace cachescape::proxy {
namespace {

TEST(Spread, OfAnOddNumber) { EXPECT_EQ(spread_of({5, 1, 2, 4, 3}), (Spread{3, 1, 5, 2, 4})); }
TEST(Spread, OfAnEvenNumberLiesBetweenTheMiddleOnes) {
  EXPECT_EQ(spread_of({4, 1, 3, 2}), (Spread{2.5, 1, 4, 1.75, 3.25}));
}
TEST(Spread, OfOne) { EXPECT_EQ(spread_of({7}), (Spread{7, 7, 7, 7, 7})); }

}  // namespace
}  // namespace cachescape::proxy
