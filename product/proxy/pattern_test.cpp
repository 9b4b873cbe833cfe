#include "product/proxy/pattern.hpp"

#include <gtest/gtest.h>

#include <set>

#include "product/proxy/chain.hpp"

namespace cachescape::proxy {
namespace {

TEST(Pattern, StrideIsWordAfterWord) {
  const auto seed = pattern_seed("stride");
  ASSERT_TRUE(seed) << seed.error().what;
  EXPECT_TRUE(lay_out(*seed, Bytes{0}, 1));
  for (std::size_t i = 0; i < seed->words.size(); ++i) ASSERT_EQ(seed->words[i], i);
  EXPECT_EQ(seed->words.size() * seed->word, seed->working_set);
}

TEST(Pattern, RandomFindsNothingAgain) {
  const auto seed = pattern_seed("random");
  ASSERT_TRUE(seed) << seed.error().what;
  EXPECT_TRUE(lay_out(*seed, Bytes{0}, 1));
  // As long as it takes to visit more blocks than the deepest cache of a signature has lines.
  const std::size_t window = 1 << 16;
  const std::uint32_t per_block = 512 / seed->word;
  std::multiset<std::uint32_t> recent;
  for (std::size_t i = 0; i < seed->words.size(); i += 1) {
    const std::uint32_t block = seed->words[i] / per_block;
    ASSERT_FALSE(recent.contains(block)) << i;
    recent.insert(block);
    if (i >= window) recent.erase(recent.find(seed->words[i - window] / per_block));
  }
}

TEST(Pattern, OthersAreNone) {
  EXPECT_TRUE(is_pattern("stride"));
  EXPECT_FALSE(is_pattern("stride.sig"));
  EXPECT_FALSE(is_pattern(""));
}

}  // namespace
}  // namespace cachescape::proxy
