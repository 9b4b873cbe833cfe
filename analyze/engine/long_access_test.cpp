// Accesses longer than any instruction's, and those at the end of the address space.
#include <gtest/gtest.h>

#include "analyze/engine/naive_analysis.hpp"
#include "cachescape/analyzer.hpp"

namespace cachescape {
namespace {

using analyze::analyse;
using analyze::naive;
using analyze::one_line_size;
using analyze::small_options;

Access an_access_of(std::uint64_t address, std::uint32_t size, AccessKind kind = AccessKind::write) {
  return {Address{address}, size, kind, ThreadId{0}, SiteId{}};
}

TEST(LongAccess, TouchesEveryLineAsTheTwinsSay) {
  AnalysisOptions options = small_options();
  options.lines = {LineSize{5}, LineSize{6}};
  options.write_back_lines = {LineSize{6}};
  const std::uint64_t top = ~std::uint64_t{0};
  const std::vector<Access> accesses{
      an_access_of(0x10010, 65536), an_access_of(0x10010, 0),       an_access_of(0x18000, 65536, AccessKind::read),
      an_access_of(top, 0),         an_access_of(top - 100, 65536), an_access_of(top - 1000, 65536, AccessKind::modify),
      an_access_of(0, 1),
  };
  // At 32-byte lines, where write-backs, whose twin simulates a cache of every size, are not followed.
  const auto expected = naive(accesses, LineSize{5}, {}, options);
  const Profile profile = analyse(options, accesses, 3);
  ASSERT_EQ(profile.stacks.size(), 2u);
  EXPECT_EQ(profile.stacks[0].kinds, expected.stack.kinds);
  EXPECT_EQ(profile.stacks[0].footprint_lines, expected.stack.footprint_lines);
  EXPECT_EQ(profile.sets[0], expected.sets);
  // From 0x10010 on 2049 lines, 1023 more from 0x18000 on, the last 32 of the address space, and line 0.
  EXPECT_EQ(profile.stacks[0].footprint_lines, 2049u + 1023 + 32 + 1);
  EXPECT_EQ(profile.losses.lost_accesses, 0u);
}

TEST(LongAccess, IsCutWhereNoInstructionMakesIt) {
  AnalysisOptions options = small_options();
  const std::uint32_t most = ~std::uint32_t{0};
  const std::vector<Access> accesses{an_access_of(0x1000, most), an_access_of(~std::uint64_t{0} - 63, most),
                                     an_access_of(0x1000, longest_access + 1)};
  const Profile profile = analyse(options, accesses, 3);
  const StackProfile& stack = profile.stacks.back();
  ASSERT_EQ(stack.line, LineSize{6});
  constexpr std::uint64_t lines = longest_access / 64;
  EXPECT_EQ(stack.footprint_lines, lines + 1);
  EXPECT_EQ(stack.kinds[1].cold, lines + 1);
  EXPECT_EQ(stack.kinds[1].bins, (std::vector<Bin>{{lines, lines}}));
  // Evicted before it is written again: by all but the caches that hold everything.
  EXPECT_EQ(stack.write_backs->back(), (Bin{lines, lines + 1}));
  EXPECT_EQ(profile.losses.lost_accesses, 3u);
  EXPECT_EQ(profile.bytes, std::uint64_t{3} * longest_access);

  std::vector<Access> cut = accesses;
  for (Access& a : cut) a.size = longest_access;
  Profile same = analyse(options, cut, 3);
  EXPECT_EQ(same.losses.lost_accesses, 0u);
  same.losses = profile.losses;
  EXPECT_EQ(same, profile);
}

TEST(LongAccess, IsToldOnce) {
  auto analyzer = Analyzer::create(one_line_size());
  analyzer->consume(StridedRun{ThreadId{0}, 3, {{Address{0x40}, 64, 2 * longest_access, AccessKind::read, SiteId{}}}});
  AccessBatch batch;
  batch.push(an_access_of(0x1000, longest_access + 5));
  analyzer->consume(batch);
  EXPECT_EQ(
      analyzer->warnings(),
      std::vector<std::string>{"an access at 0x40 is 2097152 bytes long: of such accesses the first 1048576 bytes "
                               "are analysed, and they count as lost"});
  EXPECT_EQ(analyzer->profile().losses.lost_accesses, 4u);
}

}  // namespace
}  // namespace cachescape
