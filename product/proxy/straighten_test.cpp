#include "product/proxy/straighten.hpp"

#include <gtest/gtest.h>

#include "product/proxy/seed_example.hpp"

namespace cachescape::proxy {
namespace {

TEST(Straighten, BlocksLieInTheOrderOfTheirFirstTouchAndBeginWithTheirFirstWord) {
  // Blocks 3 and 1 of 128 words each.
  const synth::Seed seed = straightened(seed_of({3 * 128 + 5, 3 * 128 + 4, 128 + 64, 3 * 128 + 7, 128}, 4 * 512));
  EXPECT_EQ(seed.words, (std::vector<std::uint32_t>{0, 1, 128, 2, 128 + 64}));
  EXPECT_EQ(seed.working_set, 1024u);
}

TEST(Straighten, WhatIsStraightStaysSo) {
  synth::Seed seed = seed_of({0, 1, 2, 128, 129, 3}, 2 * 512);
  EXPECT_EQ(straightened(seed), seed);
}

}  // namespace
}  // namespace cachescape::proxy
