#include "product/synth/synthesize.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "product/signature/text.hpp"
#include "product/synth/expansion.hpp"

namespace cachescape::synth {
namespace {

signature::Signature signature_in(const std::string& path) {
  std::ifstream file(std::string(CACHESCAPE_SOURCE_DIR) + "/" + path);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto signatures = signature::read_text(text, path);
  EXPECT_TRUE(signatures) << (signatures ? "" : signatures.error().what);
  return signatures->front();
}

/// Hit rates of lines in LRU caches of 1 … 2^16 lines, by a list: what any seed is judged by. Quadratic, so for little
/// memory.
signature::HitRates naive_hit_rates(const std::vector<std::uint64_t>& lines, std::size_t from) {
  signature::HitRates rates{};
  std::vector<std::uint64_t> stack;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto at = std::ranges::find(stack, lines[i]);
    const auto distance = static_cast<std::uint64_t>(at - stack.begin());
    const bool seen = at != stack.end();
    if (seen) stack.erase(at);
    stack.insert(stack.begin(), lines[i]);
    if (i < from || !seen) continue;
    for (std::size_t d = 0; d < signature_depths; ++d) rates[d] += distance < std::uint64_t{1} << d ? 1 : 0;
  }
  for (double& rate : rates) rate /= static_cast<double>(lines.size() - from);
  return rates;
}

/// A program that walks two hot blocks and a loop over 40 others.
signature::Signature small_signature() {
  signature::Signature s;
  s.name = "small";
  s.references = 100'000;
  s.hit_rates = {0.3, 0.6, 0.6, 0.6, 0.6, 0.6, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  for (auto& half : s.halves) {
    for (auto& bin : half) bin.share = 0.75;
  }
  for (auto& half : s.average) half.share = 0.75;
  return s;
}

TEST(Synthesize, MeetsTheDissertationsSignature) {
  const auto target = signature_in("examples/signatures/appendix-a.sig");
  const auto result = synthesize(std::span(&target, 1), {});
  ASSERT_TRUE(result);
  const Fit& fit = result->fits.front();
  ASSERT_EQ(fit.widths.size(), 1u);
  for (std::size_t d = 0; d < signature_depths; ++d) {
    EXPECT_NEAR(fit.widths[0].achieved[d], target.hit_rates[d], 0.005) << "2^" << d;
  }
}

TEST(Synthesize, WhatItSaysItAchievedIsWhatAnExpansionDoes) {
  signature::Signature target = small_signature();
  target.detail.emplace();
  target.detail->widths.push_back(
      {LineSize{6}, {0.2, 0.4, 0.5, 0.5, 0.5, 0.55, 0.6, 0.7, 0.9, 1, 1, 1, 1, 1, 1, 1, 1}});
  SynthesisOptions options;
  options.length = 1500;
  const auto result = synthesize(std::span(&target, 1), options);
  ASSERT_TRUE(result);
  ExpansionOptions expansion_options;
  const auto layout = plan(result->seed, expansion_options);
  ASSERT_TRUE(layout);
  ExpansionPlan once = *layout;
  once.length = 1500 * result->seed.phases[0].repeats;
  Expansion expansion(result->seed, once, expansion_options.base);
  std::map<unsigned, std::vector<std::uint64_t>> lines;
  AccessBatch batch;
  while (*expansion.next(batch)) {
    for (const Address a : batch.addresses()) {
      for (const unsigned log2 : {6u, 9u}) lines[log2].push_back(a.value >> log2);
    }
  }
  for (const Fit::Width& width : result->fits[0].widths) {
    const auto rates = naive_hit_rates(lines[width.line.log2()], 0);
    for (std::size_t d = 0; d < signature_depths; ++d) {
      EXPECT_NEAR(width.achieved[d], rates[d], 1e-9) << width.line.bytes().value << " bytes, 2^" << d;
    }
  }
}

TEST(Synthesize, TheSameSeedForTheSameRandomNumbers) {
  const auto target = small_signature();
  SynthesisOptions options;
  options.length = 2000;
  const auto first = synthesize(std::span(&target, 1), options);
  EXPECT_EQ(synthesize(std::span(&target, 1), options)->seed, first->seed);
  options.random_seed = 2;
  EXPECT_NE(synthesize(std::span(&target, 1), options)->seed.words, first->seed.words);
}

TEST(Synthesize, UniqueSeedsReferToNoWordTwice) {
  auto target = small_signature();
  for (const std::uint32_t word : {4u, 8u}) {
    target.rule.word = word;
    SynthesisOptions options;
    options.length = 20'000;
    options.unique = true;
    const auto result = synthesize(std::span(&target, 1), options);
    ASSERT_TRUE(result);
    const std::vector<std::uint32_t>& words = result->seed.words;
    EXPECT_EQ(std::set(words.begin(), words.end()).size(), words.size());
    EXPECT_LE(std::uint64_t{*std::ranges::max_element(words)} * word, result->seed.working_set - word);
    EXPECT_EQ(result->seed.phases[0].repeats, 1u);
  }
}

TEST(Synthesize, UniqueSeedsDoNotMakeUpForFarDistancesByNearOnes) {
  // A line of 16 words is found again 15 times; the program found it more often, the last ones not near.
  auto target = small_signature();
  target.detail.emplace();
  const signature::HitRates lines{0.25, 0.5, 0.5, 0.5, 0.6, 0.7, 0.99, 0.99, 0.99, 0.99, 0.99, 0.99, 1, 1, 1, 1, 1};
  target.hit_rates = lines;
  target.detail->widths.push_back({LineSize{6}, lines, {}});
  SynthesisOptions options;
  options.unique = true;
  const auto result = synthesize(std::span(&target, 1), options);
  ASSERT_TRUE(result);
  const Fit::Width& width = result->fits[0].widths.front();
  ASSERT_EQ(width.line, LineSize{6});
  for (std::size_t d = 0; d < 6; ++d) EXPECT_NEAR(width.achieved[d], lines[d], 0.02) << "2^" << d;
}

TEST(Synthesize, KeepsWritesThreadsAndForeignBlocks) {
  auto target = small_signature();
  target.detail.emplace();
  target.detail->writes.fill(0.25);
  target.detail->foreign.fill(0.1);
  target.detail->threads = {0.5, 0.3, 0.2};
  SynthesisOptions options;
  options.length = 20'000;
  const auto result = synthesize(std::span(&target, 1), options);
  ASSERT_TRUE(result);
  const Seed& seed = result->seed;
  const auto share = [&](auto count) { return static_cast<double>(count) / 20'000; };
  EXPECT_NEAR(share(std::ranges::count(seed.kinds, AccessKind::write)), 0.25, 0.01);
  for (std::uint8_t t = 0; t < 3; ++t)
    EXPECT_NEAR(share(std::ranges::count(seed.threads, t)), target.detail->threads[t], 0.1);
  std::map<std::uint32_t, std::uint8_t> last;
  int foreign = 0;
  for (std::size_t i = 0; i < seed.words.size(); ++i) {
    const auto [at, first] = last.try_emplace(seed.words[i] / 128, seed.threads[i]);
    foreign += !first && at->second != seed.threads[i] ? 1 : 0;
    at->second = seed.threads[i];
  }
  EXPECT_NEAR(share(foreign), 0.1, 0.01);
}

TEST(Synthesize, PhasesStandOneBehindTheOtherOnMemoryOfTheirOwn) {
  const std::vector<signature::Signature> targets{small_signature(), small_signature()};
  SynthesisOptions options;
  options.length = 1000;
  const auto result = synthesize(targets, options);
  ASSERT_TRUE(result);
  const Seed& seed = result->seed;
  ASSERT_EQ(seed.phases.size(), 2u);
  EXPECT_EQ(seed.phases[0].length + seed.phases[1].length, seed.words.size());
  const auto middle = seed.words.begin() + static_cast<std::ptrdiff_t>(seed.phases[0].length);
  EXPECT_LT(*std::max_element(seed.words.begin(), middle), *std::min_element(middle, seed.words.end()));
}

TEST(Synthesize, HandWrittenSignatures) {
  // Nothing is ever found again; everything lies one behind the other.
  const auto random = signature_in("signatures/random.sig");
  const auto stride = signature_in("signatures/stride.sig");
  SynthesisOptions options;
  options.length = 10'000;
  options.unique = true;
  const auto scattered = synthesize(std::span(&random, 1), options);
  ASSERT_TRUE(scattered);
  EXPECT_LT(scattered->fits[0].widths.back().achieved[10], 0.01);
  const auto walked = synthesize(std::span(&stride, 1), options);
  ASSERT_TRUE(walked);
  EXPECT_GT(walked->fits[0].widths.back().achieved[0], 0.98);
}

TEST(Synthesize, RefusesWhatMakesNoSense) {
  EXPECT_FALSE(synthesize({}, {}));
  std::vector<signature::Signature> targets{small_signature(), small_signature()};
  targets[1].rule.word = 8;
  EXPECT_FALSE(synthesize(targets, {}));
  SynthesisOptions options;
  options.length = std::uint64_t{1} << 40;
  EXPECT_FALSE(synthesize(std::span(targets).first(1), options));
}

}  // namespace
}  // namespace cachescape::synth
