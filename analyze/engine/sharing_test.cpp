// Coherence is followed from the thread on that makes it matter, as if it had been from the start.
#include <random>
#include <span>

#include <gtest/gtest.h>

#include "analyze/coherence/sharing_analysis.hpp"
#include "cachescape/analyzer.hpp"

namespace cachescape {
namespace {

/// Threads 0 … 5, each of which appears some time after the one before.
std::vector<Access> arbitrary_accesses(std::mt19937_64& random) {
  std::vector<Access> all;
  for (std::uint32_t i = 0; i < 3000; ++i) {
    Access a;
    a.thread = ThreadId{static_cast<std::uint32_t>(random() % (1 + i / 500))};
    a.address = Address{4096 + random() % (1 + random() % 16384)};
    a.size = 1u << (random() % 4);
    a.kind = static_cast<AccessKind>(random() % access_kinds);
    a.site = SiteId{random() % 5};
    all.push_back(a);
  }
  return all;
}

CoherentProfile from_the_start(const std::vector<Access>& accesses, std::uint32_t degree) {
  analyze::SharingAnalysis analysis({LineSize{6}, degree, 5, 8, true});
  for (const Access& a : accesses) {
    const PackedAccess packed(a.address, a.size, a.kind, static_cast<std::uint32_t>(a.site.value));
    analysis.consume(a.thread.value, std::span(&packed, 1));
  }
  analysis.flush();
  return analysis.profile();
}

TEST(AnalyzerSharing, BeginsLateAndMissesNothing) {
  std::mt19937_64 random(5);
  for (int round = 0; round < 10; ++round) {
    const std::vector<Access> accesses = arbitrary_accesses(random);
    AnalysisOptions options;
    options.lines = {LineSize{6}};
    options.set_lines = {LineSize{6}};
    options.max_log2_sets = 4;
    options.ways = 8;
    options.sharing = {1, 2, 3, 5, 6};
    options.places = true;
    options.workers = 2;
    auto analyzer = Analyzer::create(options);
    ASSERT_TRUE(analyzer.has_value());
    AccessBatch batch;
    for (const Access& a : accesses) {
      batch.push(a);
      if (!batch.full()) continue;
      analyzer->consume(batch);
      batch.clear();
    }
    analyzer->consume(batch);
    const Sharing sharing = analyzer->profile().sharing;
    // Six threads make no second group of six.
    ASSERT_EQ(sharing.degrees.size(), 4u);
    for (CoherentProfile got : sharing.degrees) {
      CoherentProfile expected = from_the_start(accesses, got.degree);
      // A reader that was alone has never had to ask for leave.
      got.msi_upgrades = expected.msi_upgrades = {};
      EXPECT_EQ(got, expected) << "degree " << got.degree;
    }
    EXPECT_FALSE(sharing.pairs.empty());
    EXPECT_FALSE(sharing.lines.empty());
  }
}

// One set is a stack; Byfl's rule for stacks is tested where predictions are made by it.
TEST(AnalyzerSharing, SetsTellForeignTouchesAsStacksDo) {
  std::mt19937_64 random(6);
  AnalysisOptions options;
  options.lines = options.set_lines = {LineSize{6}};
  options.max_log2_sets = 2;
  options.ways = 8;
  auto analyzer = Analyzer::create(options);
  AccessBatch batch;
  for (const Access& a : arbitrary_accesses(random)) batch.push(a);
  analyzer->consume(batch);
  const Profile profile = analyzer->profile();
  ASSERT_EQ(profile.stacks.size(), profile.sets.size());
  for (std::size_t i = 0; i < profile.stacks.size(); ++i) {
    ASSERT_EQ(profile.stacks[i].scope, profile.sets[i].scope);
    for (std::size_t k = 0; k < access_kinds; ++k) {
      std::vector<std::uint64_t> expected(options.ways);
      for (const Bin& b : profile.stacks[i].foreign[k].bins)
        if (b.value < options.ways) expected[b.value] = b.count;
      std::vector<std::uint64_t> told = profile.sets[i].counts[0].foreign[k];
      told.resize(options.ways);
      EXPECT_EQ(told, expected);
    }
  }
}

TEST(AnalyzerSharing, MoreCachesThanCanBeToldApartAreLeftOut) {
  AnalysisOptions options;
  options.lines = {LineSize{6}};
  options.set_lines = {};
  auto analyzer = Analyzer::create(options);
  AccessBatch batch;
  for (std::uint32_t t = 0; t < 65; ++t) batch.push({Address{64 * t}, 8, AccessKind::write, ThreadId{t}, SiteId{}});
  analyzer->consume(batch);
  const Sharing sharing = analyzer->profile().sharing;
  ASSERT_FALSE(sharing.degrees.empty());
  EXPECT_EQ(sharing.degrees.front().degree, 2u);
  EXPECT_EQ(sharing.degrees.front().caches, 33u);
}

TEST(AnalyzerSharing, LoopsAreTheirAccesses) {
  std::mt19937_64 random(9);
  AnalysisOptions options;
  options.lines = {LineSize{6}};
  options.set_lines = {};
  auto as_loops = Analyzer::create(options);
  auto as_accesses = Analyzer::create(options);
  for (int i = 0; i < 200; ++i) {
    StridedRun run;
    run.thread = ThreadId{static_cast<std::uint32_t>(random() % 3)};
    run.trips = 1 + random() % 50;
    for (int a = 0; a < 3; ++a) {
      run.body.push_back({Address{65536 + random() % 4096}, static_cast<std::int64_t>(random() % 32) - 16, 8,
                          static_cast<AccessKind>(random() % access_kinds), SiteId{}});
    }
    as_loops->consume(run);
    AccessBatch batch;
    for (std::uint64_t t = 0; t < run.trips; ++t)
      for (const StridedAccess& a : run.body) batch.push({a.at(t), a.size, a.kind, run.thread, a.site});
    as_accesses->consume(batch);
  }
  const Sharing sharing = as_loops->profile().sharing;
  EXPECT_EQ(sharing, as_accesses->profile().sharing);
  EXPECT_EQ(sharing.degrees.size(), 2u);
}

}  // namespace
}  // namespace cachescape
