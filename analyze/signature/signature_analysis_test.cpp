// Signatures of streams that can be worked out by hand, and of random ones against the naive twin.
#include "analyze/signature/signature_analysis.hpp"

#include <cmath>
#include <random>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "analyze/signature/signature_naive.hpp"

namespace cachescape::analyze {
namespace {

PackedAccess read_at(std::uint64_t address, std::uint32_t size = 4) {
  return {Address{address}, size, AccessKind::read, 0};
}

SignatureCounts counts_of(SignatureRule rule, const std::vector<PackedAccess>& accesses) {
  SignatureAnalysis analysis(rule, false);
  analysis.consume(0, accesses);
  analysis.flush();
  return analysis.profile({}).counts;
}

std::uint64_t references_in(const SignatureBin& bin) {
  return bin.references[0] + bin.references[1] + bin.references[2];
}

HalfCounts over_bins(const SignatureCounts& counts, std::size_t half) {
  HalfCounts all;
  for (const SignatureBin& bin : counts) {
    all.same += bin.halves[half].same;
    all.again += bin.halves[half].again;
  }
  return all;
}

// The dissertation's example (2.2.3): the words 0 of blocks A, B and C, then B1, C6 and A3.
TEST(Signature, DistancesOfChameleonsExample) {
  constexpr std::uint64_t a = 0;
  constexpr std::uint64_t b = 512;
  constexpr std::uint64_t c = 1024;
  const SignatureCounts counts =
      counts_of({}, {read_at(a), read_at(b), read_at(c), read_at(b + 4), read_at(c + 6 * 4), read_at(a + 3 * 4)});
  EXPECT_EQ(counts[cold_bin].references[0], 3u);
  EXPECT_EQ(counts[1].references[0], 2u);  // B1 and C6, one block further each
  EXPECT_EQ(counts[2].references[0], 1u);  // A3: B and C came between
  // B1 is the upper word of a pair whose lower one was touched before: the same half in all parts above.
  EXPECT_EQ(counts[1].halves[0], (HalfCounts{0, 1}));
  // C6 shares 32 bytes with C0, but not 16, A3 shares 16 bytes with A0, but not 8.
  EXPECT_EQ(counts[1].halves[1], (HalfCounts{1, 1}));
  EXPECT_EQ(counts[1].halves[2], (HalfCounts{1, 2}));
  EXPECT_EQ(counts[1].halves[3], (HalfCounts{2, 2}));
  EXPECT_EQ(counts[2].halves[0], (HalfCounts{0, 0}));
  EXPECT_EQ(counts[2].halves[1], (HalfCounts{0, 1}));
  EXPECT_EQ(counts[2].halves[2], (HalfCounts{1, 1}));
}

TEST(Signature, FirstVisitsCountNothing) {
  const SignatureCounts counts = counts_of({}, {read_at(0)});
  SignatureCounts expected{};
  expected[cold_bin].references[0] = 1;
  EXPECT_EQ(counts, expected);
}

// An array of n blocks, one 8-byte word after the other: a part of m words sees m − 1 touches after its first, of which
// one goes on to the other half.
TEST(Signature, ASweepHasClosedFormulas) {
  constexpr std::uint64_t blocks = 1000;
  std::vector<PackedAccess> sweep;
  for (std::uint64_t address = 0; address < blocks * 512; address += 8) sweep.push_back(read_at(address, 8));
  const SignatureCounts counts = counts_of({8, false}, sweep);
  EXPECT_EQ(references_in(counts[cold_bin]), blocks);
  EXPECT_EQ(references_in(counts[0]), blocks * 63);
  EXPECT_EQ(counts[0].halves[0], (HalfCounts{}));
  for (std::size_t half = 1; half < signature_halves; ++half) {
    const std::uint64_t words = half_bytes(half) * 2 / 8;
    const std::uint64_t parts = 64 / words;
    EXPECT_EQ(counts[0].halves[half], (HalfCounts{blocks * parts * (words - 2), blocks * parts * (words - 1)}));
  }
}

// The second sweep finds each block n − 1 others ago, and in each part the upper half taken last.
TEST(Signature, ASecondSweepBeginsInTheOtherHalf) {
  constexpr std::uint64_t blocks = 1000;
  std::vector<PackedAccess> sweep;
  for (int again = 0; again < 2; ++again)
    for (std::uint64_t address = 0; address < blocks * 512; address += 4) sweep.push_back(read_at(address));
  const SignatureCounts counts = counts_of({}, sweep);
  const std::size_t bin = signature_bin(blocks - 1);
  EXPECT_EQ(references_in(counts[bin]), blocks);
  for (std::size_t half = 0; half < signature_halves; ++half) {
    EXPECT_EQ(counts[bin].halves[half], (HalfCounts{0, blocks}));
    const std::uint64_t words = half_bytes(half) * 2 / 4;
    const std::uint64_t parts = 128 / words;
    // Each part is entered twice and left for its upper half twice.
    EXPECT_EQ(over_bins(counts, half),
              (HalfCounts{blocks * parts * (2 * words - 4), blocks * parts * (2 * words - 1)}));
  }
}

TEST(Signature, RandomWordsFallIntoEitherHalf) {
  constexpr std::uint64_t blocks = 64;
  std::mt19937_64 random(1);
  std::vector<PackedAccess> accesses;
  constexpr std::uint64_t count = 400'000;
  for (std::uint64_t i = 0; i < count; ++i) accesses.push_back(read_at(random() % (blocks * 128) * 4));
  const SignatureCounts counts = counts_of({}, accesses);
  for (std::size_t half = 0; half < signature_halves; ++half) {
    const HalfCounts all = over_bins(counts, half);
    const double share = static_cast<double>(all.same) / static_cast<double>(all.again);
    // Five standard deviations of as many coins.
    EXPECT_NEAR(share, 0.5, 2.5 / std::sqrt(static_cast<double>(all.again)));
    EXPECT_GT(all.again, count * 9 / 10);
  }
}

TEST(Signature, StepsFollowEachThreadsFirstTouches) {
  SignatureAnalysis analysis({}, false);
  const auto touch = [&](std::uint32_t thread, std::uint64_t block) {
    const PackedAccess access = read_at(block * 512);
    analysis.consume(thread, std::span(&access, 1));
  };
  touch(0, 10);
  touch(1, 5000);
  touch(0, 11);    // 1 after 10
  touch(1, 10);    // known
  touch(1, 4999);  // 1 before 5000
  touch(0, 11 + 4096 + 3);
  analysis.flush();
  EXPECT_EQ(analysis.profile({}).steps, (std::vector<Bin>{{1, 1}, {3, 1}, {4095, 1}}));
}

TEST(Signature, EveryWordIsOneReferenceEach) {
  const SignatureCounts every = counts_of({4, true}, {read_at(510, 8)});
  EXPECT_EQ(references_in(every[cold_bin]), 2u);  // words at 508 and 512, in two blocks
  EXPECT_EQ(references_in(every[0]), 1u);         // and at 516
  EXPECT_EQ(references_in(counts_of({4, false}, {read_at(510, 8)})[cold_bin]), 1u);
  EXPECT_EQ(references_in(counts_of({8, true}, {read_at(7, 0)})[cold_bin]), 1u);  // of unknown size
}

/// Some blocks close together, some far apart, some words often.
Access arbitrary_access(std::mt19937_64& random, std::uint32_t threads) {
  Access a;
  const std::uint64_t block = random() % 4 == 0 ? random() % 300 : random() % 3;
  a.address = Address{65536 + block * 512 + random() % (1u << (random() % 10))};
  if (random() % 200 == 0) a.address = Address{~std::uint64_t{0} - random() % 16};
  a.size = random() % 20 == 0 ? static_cast<std::uint32_t>(random() % 1200) : 1u << (random() % 4);
  a.kind = static_cast<AccessKind>(random() % access_kinds);
  a.thread = ThreadId{static_cast<std::uint32_t>(random() % threads)};
  a.site = SiteId{random() % 7};
  return a;
}

RC_GTEST_PROP(SignatureProperty, EqualsTheTwin, (std::uint32_t seed, bool eight, bool every_word)) {
  std::mt19937_64 random(seed);
  const std::uint32_t threads = 1 + static_cast<std::uint32_t>(random() % 3);
  const SignatureRule rule{eight ? 8u : 4u, every_word};
  std::vector<Access> accesses(random() % 3000);
  for (Access& a : accesses) a = arbitrary_access(random, threads);
  SignatureAnalysis analysis(rule, true);
  LastToucher touchers({});
  if (threads > 1) analysis.follow_touchers(touchers);
  for (const Access& a : accesses) {
    const PackedAccess packed(a.address, a.size, a.kind, static_cast<std::uint32_t>(a.site.value));
    analysis.consume(a.thread.value, std::span(&packed, 1));
  }
  analysis.flush();
  RC_ASSERT(analysis.profile({}) == naive_signatures(accesses, rule, true).front());
}

RC_GTEST_PROP(SignatureProperty, LoopsAreTheirAccesses, (std::uint32_t seed, bool eight, bool every_word)) {
  std::mt19937_64 random(seed);
  const SignatureRule rule{eight ? 8u : 4u, every_word};
  SignatureAnalysis analysis(rule, true);
  std::vector<Access> expanded;
  for (int i = 0; i < 20; ++i) {
    const std::uint64_t trips = 1 + random() % (random() % 5 == 0 ? 200 : 20);
    std::vector<StridedAccess> body(1 + random() % 4);
    const std::int64_t step = static_cast<std::int64_t>(random() % 64) - 32;
    for (StridedAccess& a : body) {
      a.base = Address{1u << 20 | random() % (random() % 2 == 0 ? 1024 : 65536)};
      a.step = random() % 4 == 0 ? static_cast<std::int64_t>(random() % 3000) - 1500 : step;
      a.size = random() % 10 == 0 ? static_cast<std::uint32_t>(random() % 600) : 1u << (random() % 4);
      a.kind = static_cast<AccessKind>(random() % access_kinds);
      a.site = SiteId{random() % 5};
    }
    analysis.consume(0, Loop{trips, body});
    for (std::uint64_t t = 0; t < trips; ++t)
      for (const StridedAccess& a : body) expanded.push_back({a.at(t), a.size, a.kind, ThreadId{}, a.site});
    if (random() % 3 == 0) {
      const Access between = arbitrary_access(random, 1);
      const PackedAccess packed(between.address, between.size, between.kind,
                                static_cast<std::uint32_t>(between.site.value));
      analysis.consume(0, std::span(&packed, 1));
      expanded.push_back(between);
    }
  }
  analysis.flush();
  RC_ASSERT(analysis.profile({}) == naive_signatures(expanded, rule, true).front());
}

}  // namespace
}  // namespace cachescape::analyze
