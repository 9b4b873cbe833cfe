#include "product/synth/recency.hpp"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace cachescape::synth {
namespace {

RC_GTEST_PROP(Recency, IsTheOrderOfLastTouches, ()) {
  const auto choices = *rc::gen::container<std::vector<std::uint32_t>>(rc::gen::inRange<std::uint32_t>(0, 1000));
  Recency recency;
  std::vector<std::uint32_t> naive;
  for (const std::uint32_t choice : choices) {
    const auto block = choice % static_cast<std::uint32_t>(naive.size() + 1);
    recency.touch(block);
    std::erase(naive, block);
    naive.insert(naive.begin(), block);
    RC_ASSERT(recency.blocks() == naive.size());
    for (std::size_t depth = 0; depth < naive.size(); ++depth) RC_ASSERT(recency.at(depth) == naive[depth]);
  }
}

TEST(Recency, NumbersTimesAnewAndForgetsNothing) {
  Recency recency;
  for (std::uint32_t block = 0; block < 10; ++block) recency.touch(block);
  for (std::uint32_t i = 0; i < 100'000; ++i) recency.touch(i % 7);
  EXPECT_EQ(recency.at(0), 99'999u % 7);
  EXPECT_EQ(recency.at(6), 100'000u % 7);
  EXPECT_EQ(recency.at(7), 9u);
  EXPECT_EQ(recency.at(9), 7u);
}

}  // namespace
}  // namespace cachescape::synth
