#include "product/proxy/scatter.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "product/proxy/chain.hpp"
#include "product/proxy/seed_example.hpp"

namespace cachescape::proxy {
namespace {

/// The first word of each of so many blocks.
synth::Seed one_word_a_block(std::uint32_t blocks, std::uint32_t word) {
  std::vector<std::uint32_t> words;
  for (std::uint32_t b = 0; b < blocks; ++b) words.push_back(b * (512 / word));
  return seed_of(std::move(words), blocks * 512, word);
}

class Scatter : public testing::TestWithParam<std::uint32_t> {};

TEST_P(Scatter, VisitsEveryLineOnce) {
  const synth::Seed seed = scattered(one_word_a_block(1000, GetParam()));
  EXPECT_TRUE(lay_out(seed, Bytes{0}, 1));
  std::set<std::uint64_t> lines;
  for (const std::uint32_t word : seed.words) lines.insert(std::uint64_t{word} * seed.word / 64);
  EXPECT_EQ(lines.size(), 8000u);
  EXPECT_EQ(seed.words.size(), 8000u);
}

TEST_P(Scatter, KeepsTheOrderOfBlocksInEveryRound) {
  const synth::Seed seed = scattered(one_word_a_block(1000, GetParam()));
  const std::uint32_t per_block = 512 / seed.word;
  for (std::size_t i = 1000; i < seed.words.size(); ++i)
    ASSERT_EQ(seed.words[i] / per_block, seed.words[i - 1000] / per_block);
}

TEST_P(Scatter, AlwaysTakesTheOtherHalf) {
  const synth::Seed seed = scattered(one_word_a_block(1, GetParam()));
  // Parts of 512, 256 and 128 bytes: the half that was taken the last time each was entered.
  for (std::uint32_t half = 256; half >= 64; half /= 2) {
    std::vector<int> last(512 / (2 * half), -1);
    for (const std::uint32_t word : seed.words) {
      const std::uint32_t byte = word * seed.word;
      const int taken = static_cast<int>(byte / half % 2);
      EXPECT_NE(last[byte / (2 * half)], taken);
      last[byte / (2 * half)] = taken;
    }
  }
}

TEST_P(Scatter, NoStepIsFrequent) {
  const synth::Seed seed = scattered(one_word_a_block(1000, GetParam()));
  std::map<std::int64_t, std::size_t> steps;
  for (std::size_t i = 1; i < seed.words.size(); ++i) ++steps[std::int64_t{seed.words[i]} - seed.words[i - 1]];
  for (const auto& [step, count] : steps) EXPECT_LT(count, 80u) << step;
}

INSTANTIATE_TEST_SUITE_P(Words, Scatter, testing::Values(4u, 8u));

}  // namespace
}  // namespace cachescape::proxy
