#include "product/signature/from_profile.hpp"

#include <gtest/gtest.h>

#include "cachescape/analyzer.hpp"

namespace cachescape::signature {
namespace {

/// Words 0 and 1 of a block in turn, the second one written; and every third access one to a new block.
Profile example() {
  AnalysisOptions options;
  options.lines = {LineSize{6}, LineSize{9}};
  options.set_lines = {LineSize{6}};
  options.signatures = {SignatureRule{}};
  auto analyzer = Analyzer::create(options);
  AccessBatch batch;
  for (unsigned i = 0; i < 300; ++i) {
    const unsigned place = i % 3;
    const std::uint64_t address = place < 2 ? place * 4 : 1024 + i * 512;
    batch.push({Address{address}, 4, place == 1 ? AccessKind::write : AccessKind::read, ThreadId{0}, SiteId{0}});
  }
  analyzer->consume(batch);
  return analyzer->profile();
}

TEST(FromProfile, SharesOfWhatWasCounted) {
  const auto signatures = signatures_of(example(), By::program);
  ASSERT_TRUE(signatures) << signatures.error().what;
  const Signature& s = signatures->front();
  EXPECT_EQ(s.references, 300u);
  EXPECT_EQ(s.accesses, 300u);
  // Word 1 comes right after word 0; word 0 after one other block; the rest is new.
  EXPECT_DOUBLE_EQ(s.hit_rates[0], 100.0 / 300);
  EXPECT_DOUBLE_EQ(s.hit_rates[1], 199.0 / 300);
  EXPECT_DOUBLE_EQ(s.hit_rates[16], 199.0 / 300);
  // All in the same half but for the two words themselves.
  EXPECT_EQ(s.halves[6][0].counts, (HalfCounts{100, 100}));
  EXPECT_EQ(s.halves[0][0].counts, (HalfCounts{0, 100}));
  EXPECT_EQ(s.halves[0][1].counts, (HalfCounts{0, 99}));
  EXPECT_FALSE(s.halves[0][2].share);
  ASSERT_TRUE(s.detail);
  EXPECT_EQ(s.detail->writes[0], 1);
  EXPECT_EQ(s.detail->writes[cold_bin], 0);
  EXPECT_EQ(s.detail->blocks, 101u);
  ASSERT_EQ(s.detail->widths.size(), 1u);
  EXPECT_EQ(s.detail->widths[0].hit_rates, s.hit_rates);
  EXPECT_FALSE(s.detail->sets.empty());
  ASSERT_FALSE(s.detail->steps.empty());
  // The new blocks lie three apart.
  EXPECT_EQ(s.detail->steps[0].value, 3u);
  EXPECT_EQ(s.detail->steps[0].count, 99u);
}

TEST(FromProfile, SaysWhatIsMissing) {
  Profile profile = example();
  EXPECT_FALSE(signatures_of(profile, By::function));
  EXPECT_FALSE(signatures_of(profile, By::program, SignatureRule{8, false}));
  profile.signatures.clear();
  const auto none = signatures_of(profile, By::program);
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().hint.find("--signature"), std::string::npos);
}

}  // namespace
}  // namespace cachescape::signature
