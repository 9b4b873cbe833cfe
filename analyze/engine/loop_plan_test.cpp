// Loops that are counted by plan against their expansion, access by access.
#include "analyze/engine/loop_plan.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "analyze/engine/naive_analysis.hpp"

namespace cachescape {
namespace {

using analyze::analyse;
using analyze::Loop;
using analyze::ShapedLoop;

AnalysisOptions plannable() {
  AnalysisOptions options;
  options.lines = {LineSize{4}, LineSize{6}, LineSize{7}};
  options.set_lines = {LineSize{4}, LineSize{6}};
  options.max_log2_sets = *rc::gen::element(6u, 10u);
  options.ways = 4;
  options.write_back_lines = {LineSize{4}, LineSize{6}};
  options.places = true;
  return options;
}

/// A loop whose accesses move by one step, over arrays that may overlap, follow one another or lie apart.
StridedRun a_loop() {
  StridedRun run;
  run.trips = *rc::gen::oneOf(rc::gen::inRange<std::uint64_t>(1, 40), rc::gen::inRange<std::uint64_t>(40, 400));
  const auto step = *rc::gen::element<std::int64_t>(1, 2, 4, 8, -8, 8, 16, 24, -4, 48, 64, 72, 128, 200, -136);
  const auto slots = *rc::gen::inRange(1, 7);
  std::uint64_t base = 1u << 30;
  for (int i = 0; i < slots; ++i) {
    StridedAccess a;
    base += *rc::gen::element<std::uint64_t>(0, 8, 8, 16, 20, 64, 100, 512, 640, 1000, 4096, 1u << 16);
    a.base = Address{base + *rc::gen::inRange<std::uint64_t>(0, 3) * 8};
    a.step = step;
    a.size = *rc::gen::element<std::uint32_t>(0, 1, 4, 8, 8, 8, 16, 70);
    a.kind = *rc::gen::element(AccessKind::read, AccessKind::read, AccessKind::write, AccessKind::modify);
    a.site = SiteId{static_cast<std::uint64_t>(*rc::gen::inRange(1, 4))};
    run.body.push_back(a);
  }
  // In any order, as programs have them.
  for (std::size_t i = run.body.size(); i > 1; --i)
    std::swap(run.body[i - 1], run.body[*rc::gen::inRange<std::size_t>(0, i)]);
  return run;
}

void expand(const StridedRun& run, std::vector<Access>& to) {
  for (std::uint64_t i = 0; i < run.trips; ++i)
    for (const StridedAccess& a : run.body) to.push_back({a.at(i), a.size, a.kind, run.thread, a.site});
}

RC_GTEST_PROP(LoopPlan, LoopsEqualTheirExpansion, ()) {
  AnalysisOptions options = plannable();
  options.workers = *rc::gen::element(1u, 2u, 12u);
  auto by_loops = Analyzer::create(options);
  std::vector<Access> expanded;
  const auto shapes = *rc::gen::inRange(1, 3);
  for (int s = 0; s < shapes; ++s) {
    StridedRun run = a_loop();
    const auto repeats = *rc::gen::inRange(1, 4);
    for (int r = 0; r < repeats; ++r) {
      run.thread = ThreadId{*rc::gen::element(0u, 0u, 0u, 1u)};
      by_loops->consume(run);
      expand(run, expanded);
      // Other accesses between, to lines of the loop too; then the same loop elsewhere.
      AccessBatch batch;
      const auto others = *rc::gen::inRange(0, 4);
      for (int o = 0; o < others; ++o) {
        const std::uint64_t at = (1u << 30) + *rc::gen::inRange<std::uint64_t>(0, 3000);
        batch.push({Address{at}, 8, *rc::gen::element(AccessKind::read, AccessKind::write), run.thread, SiteId{4}});
        expanded.push_back(batch[batch.size() - 1]);
      }
      by_loops->consume(batch);
      const auto moved = *rc::gen::element<std::uint64_t>(0, 64, 4096, 12000);
      const bool all = *rc::gen::arbitrary<bool>();
      for (std::size_t i = 0; i < run.body.size(); ++i)
        if (all || i == 0) run.body[i].base.value += moved;
    }
  }
  const Profile expected = analyse(options, expanded, 1000);
  const Profile actual = by_loops->profile();
  RC_ASSERT(actual.sets == expected.sets);
  RC_ASSERT(actual.stacks == expected.stacks);
  RC_ASSERT(actual.threads == expected.threads);
  RC_ASSERT(actual.bytes == expected.bytes);
  RC_ASSERT(actual.places.site_distances == expected.places.site_distances);
}

StridedAccess at(std::uint64_t base, AccessKind kind = AccessKind::read) {
  return {Address{base}, 8, 8, kind, SiteId{1}};
}

TEST(LoopPlan, StreamsNeedOneTouchPerLine) {
  const std::vector<StridedAccess> body{at(1u << 20), at(2u << 20), at(3u << 20, AccessKind::write)};
  ShapedLoop loop;
  ASSERT_TRUE(loop.see({8000, body}, LineSize{6}));
  EXPECT_EQ(loop.shape.period, 8u);
  EXPECT_EQ(loop.shape.advance, 1);
  EXPECT_EQ(loop.first_lines.size(), 3u);
  const analyze::LoopPlan plan(loop.shape, LineSize{6});
  EXPECT_EQ(plan.period().kept.size(), 3u);
  EXPECT_EQ(plan.before().kept.size() + plan.period().kept.size() * loop.periods + plan.after().kept.size(), 3000u);
}

TEST(LoopPlan, NeighboursInOneRowPassTheirLinesTogether) {
  const std::vector<StridedAccess> body{at((4u << 20) - 8), at((4u << 20) + 8), at(2u << 20, AccessKind::write)};
  ShapedLoop loop;
  ASSERT_TRUE(loop.see({8000, body}, LineSize{6}));
  EXPECT_EQ(loop.first_lines.size(), 2u);
  // The row's line stays longer than the other's, so that the order of leaving has to be told.
  const analyze::LoopPlan plan(loop.shape, LineSize{6});
  EXPECT_EQ(plan.period().kept.size(), 4u);
}

TEST(LoopPlan, WhatHasNoShape) {
  ShapedLoop loop;
  StridedAccess other = at(2u << 20);
  other.step = 16;
  const std::vector<StridedAccess> two_steps{at(1u << 20), other};
  EXPECT_FALSE(loop.see({8000, two_steps}, LineSize{6}));
  const std::vector<StridedAccess> at_the_end{at(~std::uint64_t{0} - 100)};
  EXPECT_FALSE(loop.see({8000, at_the_end}, LineSize{6}));
  const std::vector<StridedAccess> short_loop{at(1u << 20)};
  EXPECT_FALSE(loop.see({3, short_loop}, LineSize{6}));
}

}  // namespace
}  // namespace cachescape
