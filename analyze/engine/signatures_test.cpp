// Signatures as the analyzer tells them: of everything and of each thread, sampled or not.
#include <random>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "analyze/engine/naive_analysis.hpp"
#include "analyze/engine/recombination.hpp"
#include "analyze/signature/signature_naive.hpp"

namespace cachescape {
namespace {

using analyze::analyse;
using analyze::naive_signatures;
using analyze::one_line_size;

/// Threads appear one after the other.
std::vector<Access> arbitrary_accesses(std::mt19937_64& random, std::uint32_t threads) {
  std::vector<Access> all(1 + random() % 2000);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto seen = static_cast<std::uint32_t>(1 + i * threads / all.size());
    Access& a = all[i];
    a.address = Address{4096 + random() % (1 + random() % 65536)};
    a.size = random() % 30 == 0 ? 700 : 1u << (random() % 4);
    a.kind = static_cast<AccessKind>(random() % access_kinds);
    a.thread = ThreadId{3 + static_cast<std::uint32_t>(random() % seen)};
    a.site = SiteId{random() % 5};
  }
  return all;
}

std::vector<SignatureProfile> expected_of(const std::vector<Access>& accesses,
                                          const std::vector<SignatureRule>& rules) {
  std::vector<SignatureProfile> all;
  for (const SignatureRule& rule : rules) {
    for (SignatureProfile& p : naive_signatures(accesses, rule, true)) all.push_back(std::move(p));
  }
  std::ranges::stable_sort(all, {}, &SignatureProfile::scope);
  return all;
}

RC_GTEST_PROP(AnalyzerSignatures, AreThoseOfTheTwin, (std::uint32_t seed)) {
  std::mt19937_64 random(seed);
  const std::vector<Access> accesses = arbitrary_accesses(random, 1 + static_cast<std::uint32_t>(random() % 4));
  AnalysisOptions options = one_line_size();
  options.places = true;
  options.workers = 1 + static_cast<unsigned>(random() % 2);
  options.signatures = {{4, false}, {4, true}, {8, false}, {8, true}};
  const Profile profile = analyse(options, accesses, 1 + random() % 100);
  RC_ASSERT(profile.signatures == expected_of(accesses, options.signatures));
}

TEST(AnalyzerSignatures, SitesAreToldWherePlacesAre) {
  std::mt19937_64 random(2);
  const std::vector<Access> accesses = arbitrary_accesses(random, 1);
  AnalysisOptions options = one_line_size();
  options.signatures = {{}};
  const Profile without = analyse(options, accesses, 64);
  ASSERT_EQ(without.signatures.size(), 1u);
  EXPECT_TRUE(without.signatures[0].sites.empty());
  options.places = true;
  const Profile with = analyse(options, accesses, 64);
  EXPECT_EQ(with.signatures[0].sites.size(), 5u);
  EXPECT_EQ(with.signatures[0].counts, without.signatures[0].counts);
}

TEST(AnalyzerSignatures, IntervalsCountWhatIsAnalysed) {
  std::mt19937_64 random(4);
  const std::vector<Access> accesses = arbitrary_accesses(random, 2);
  AnalysisOptions options = one_line_size();
  options.places = true;
  options.signatures = {{}};
  options.sampling.method = Sampling::Method::interval;
  options.sampling.on = 30;
  options.sampling.off = 70;
  std::vector<Access> analysed;
  for (std::size_t i = 0; i < accesses.size(); ++i)
    if (i % 100 < 30) analysed.push_back(accesses[i]);
  EXPECT_EQ(analyse(options, accesses, 64).signatures, expected_of(analysed, options.signatures));
}

TEST(AnalyzerSignatures, BlocksStandForTheirExecutions) {
  std::mt19937_64 random(5);
  const std::vector<Access> accesses = arbitrary_accesses(random, 2);
  AnalysisOptions options = one_line_size();
  options.places = true;
  options.signatures = {{}};
  const auto whole = naive_signatures(accesses, {}, true).front();
  options.sampling.method = Sampling::Method::blocks;
  auto analyzer = Analyzer::create(options);
  AccessBatch batch;
  for (const Access& a : accesses) batch.push(a);
  analyzer->consume(batch);
  const Profile profile = analyzer->profile(std::vector<double>{1, 2, 3});
  ASSERT_EQ(profile.signatures.size(), 1u);
  const SignatureProfile& signature = profile.signatures[0];
  SignatureCounts sum{};
  for (std::size_t s = 0; s < signature.sites.size(); ++s) {
    SignatureCounts expected{};
    const int weight = s == 1 ? 2 : s == 2 ? 3 : 1;
    for (int i = 0; i < weight; ++i) add_to(expected, whole.sites[s].counts);
    EXPECT_EQ(signature.sites[s].counts, expected);
    add_to(sum, expected);
  }
  EXPECT_EQ(signature.counts, sum);
  EXPECT_EQ(signature.steps, whole.steps);
}

TEST(AnalyzerSignatures, WeightsKeepPartsBelowTheirWhole) {
  SignatureProfile signature;
  SiteSignature& site = signature.sites.emplace_back();
  site.counts[0].references = {1, 1, 1};
  site.counts[0].foreign = 3;
  for (HalfCounts& half : site.counts[0].halves) half = {3, 3};
  for (const double weight : {1.1, 1.3, 1.4, 1.45, 1.5, 2.7}) {
    SignatureProfile weighed = signature;
    analyze::weigh(weighed, std::vector<double>{weight});
    const SignatureBin& bin = weighed.counts[0];
    const std::uint64_t references = bin.references[0] + bin.references[1] + bin.references[2];
    EXPECT_NEAR(static_cast<double>(references), 3 * weight, 0.5);
    EXPECT_LE(bin.foreign, references);
    for (const HalfCounts& half : bin.halves) {
      EXPECT_LE(half.again, references);
      EXPECT_LE(half.same, half.again);
    }
  }
}

TEST(AnalyzerSignatures, SampledLinesMakeNone) {
  AnalysisOptions options = one_line_size();
  options.signatures = {{}};
  options.sampling.method = Sampling::Method::shards_rate;
  options.sampling.rate = 0.5;
  const auto refused = Analyzer::check(options);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().what.find("sample by intervals or blocks"), std::string::npos);
  options.sampling = {};
  options.signatures = {{16, false}};
  EXPECT_FALSE(Analyzer::check(options));
  options.signatures = {{8, false}, {8, false}};
  EXPECT_FALSE(Analyzer::check(options));
}

TEST(AnalyzerSignatures, AreDroppedWhereMemoryIsShort) {
  AnalysisOptions options = one_line_size();
  options.signatures = {{}};
  options.memory_limit = 1;
  auto analyzer = Analyzer::create(options);
  for (std::uint64_t round = 0; round < 40; ++round) {
    AccessBatch batch;
    for (std::uint64_t i = 0; i < AccessBatch::default_capacity; ++i)
      batch.push({Address{(round * AccessBatch::default_capacity + i) * 512}, 4, AccessKind::read, {}, {}});
    analyzer->consume(batch);
  }
  const Profile profile = analyzer->profile();
  EXPECT_TRUE(profile.signatures.empty());
  ASSERT_EQ(analyzer->warnings().size(), 1u);
  EXPECT_NE(analyzer->warnings()[0].find("signatures are dropped"), std::string::npos);
}

}  // namespace
}  // namespace cachescape
