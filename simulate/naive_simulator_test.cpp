#include "simulate/naive_simulator.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <limits>
#include <set>

#include "simulate/arbitrary.hpp"
#include "simulate/naive_worked_example.hpp"

namespace cachescape::simulate {
namespace {

using namespace worked_example;
using machine::Coherence;
using machine::Inclusion;

TEST(NaiveSimulator, NothingHappenedYet) {
  const auto out = simulate(machine_of({level_of(2, 2), shared(level_of(4, 2))}), {});
  EXPECT_EQ(out.accesses, 0u);
  EXPECT_EQ(out.threads, 0u);
  EXPECT_EQ(out.cores, 0u);
  EXPECT_TRUE(out.classified);
  ASSERT_EQ(out.levels.size(), 2u);
  EXPECT_EQ(out.levels[0].name, "L1");
  EXPECT_EQ(out.levels[0].instances, 0u);
  EXPECT_EQ(out.levels[1].name, "L2");
  EXPECT_EQ(out.levels[1].instances, 1u);
  EXPECT_EQ(out.levels[1].total().accesses, 0u);
}

TEST(NaiveSimulator, ReuseTableHitsWhereTheDistanceIsBelowTheNumberOfLines) {
  // Stack distances ∞ ∞ 1 ∞ 2 ∞ 0 3.
  const std::array<std::uint64_t, 5> hits_of_lines{1, 2, 3, 4, 4};
  for (std::uint64_t lines = 1; lines <= 5; ++lines) {
    const auto out = simulate(machine_of({fully_associative(lines)}), letters("abacbdda"));
    const std::uint64_t hits = hits_of_lines[lines - 1];
    EXPECT_EQ(out.levels[0].reads, tally(8, {.cold = 4, .capacity = 4 - hits})) << lines << " lines";
    EXPECT_EQ(out.levels[0].writes, Tally{});
    EXPECT_EQ(out.levels[0].bytes_in, Bytes{(8 - hits) * 64});
  }
}

TEST(NaiveSimulator, LinesOfOneSetPushEachOtherOut) {
  const auto direct = simulate(machine_of({level_of(2, 1)}), letters("acacacac"));
  EXPECT_EQ(direct.levels[0].reads, tally(8, {.cold = 2, .conflict = 6}));
  const auto associative = simulate(machine_of({level_of(1, 2)}), letters("acacacac"));
  EXPECT_EQ(associative.levels[0].reads, tally(8, {.cold = 2}));
  const auto three_sets = simulate(machine_of({level_of(3, 1)}), letters("adadcbcb"));
  EXPECT_EQ(three_sets.levels[0].reads, tally(8, {.cold = 4, .conflict = 2}));
}

TEST(NaiveSimulator, AStreamMissesOncePerLine) {
  std::vector<Access> trace;
  trace.reserve(64);
  for (std::uint64_t i = 0; i < 64; ++i) trace.push_back(load(0, i * 4));
  const auto out = simulate(machine_of({level_of(1, 1)}), trace);
  EXPECT_EQ(out.accesses, 64u);
  EXPECT_EQ(out.levels[0].reads, tally(64, {.cold = 4}));
  EXPECT_EQ(out.levels[0].bytes_in, Bytes{256});
}

TEST(NaiveSimulator, AnAccessTouchesEachOfItsLinesOnce) {
  const auto out = simulate(machine_of({level_of(4, 4)}), {load(0, 60, 8), load(0, 63, 0), load(0, 64, 64)});
  EXPECT_EQ(out.accesses, 3u);
  EXPECT_EQ(out.levels[0].reads, tally(4, {.cold = 2}));
  const std::uint64_t top = std::numeric_limits<std::uint64_t>::max();
  const auto end = simulate(machine_of({level_of(4, 4, 1)}), {load(0, top - 2, 40), store(0, top, 0)});
  EXPECT_EQ(end.levels[0].reads, tally(3, {.cold = 3}));
  EXPECT_EQ(end.levels[0].writes, tally(1, {}));
}

TEST(NaiveSimulator, DirtyLinesAreWrittenBackOnceWhenTheyLeave) {
  const auto out = simulate(machine_of({fully_associative(1)}), letters("AbBab"));
  EXPECT_EQ(out.levels[0].reads, tally(3, {.cold = 1, .capacity = 2}));
  EXPECT_EQ(out.levels[0].writes, tally(2, {.cold = 1}));
  EXPECT_EQ(out.levels[0].write_backs, 2u);
  EXPECT_EQ(out.levels[0].bytes_out, Bytes{128});
  EXPECT_EQ(out.levels[0].bytes_in, Bytes{256});
}

TEST(NaiveSimulator, AModifyIsAReadThatLeavesTheLineDirty) {
  auto level = fully_associative(1);
  level.write_allocate = false;
  const auto out = simulate(machine_of({level}), {modify(0, 0), load(0, 64)});
  EXPECT_EQ(out.levels[0].reads, tally(2, {.cold = 2}));
  EXPECT_EQ(out.levels[0].writes, Tally{});
  EXPECT_EQ(out.levels[0].write_backs, 1u);
  EXPECT_EQ(out.levels[0].bytes_out, Bytes{64});
}

TEST(NaiveSimulator, WriteThroughWithoutAllocationSendsOnlyTheWrittenBytes) {
  for (auto coherence : {Coherence::none, Coherence::msi, Coherence::mesi}) {
    const auto out = simulate(machine_of({write_through(level_of(1, 2), false), level_of(1, 4)}, coherence),
                              {store(0, 0, 8), load(0, 0, 8), store(0, 0, 4)});
    EXPECT_EQ(out.levels[0].writes, tally(2, {.cold = 1}));
    EXPECT_EQ(out.levels[0].reads, tally(1, {.capacity = 1}));
    EXPECT_EQ(out.levels[0].write_backs, 2u);
    EXPECT_EQ(out.levels[0].bytes_out, Bytes{12});
    EXPECT_EQ(out.levels[0].bytes_in, Bytes{64});
    EXPECT_EQ(out.levels[0].upgrades, 0u);
    EXPECT_EQ(out.levels[1].writes, tally(2, {.cold = 1}));
    EXPECT_EQ(out.levels[1].reads, tally(1, {}));
    EXPECT_EQ(out.levels[1].write_backs, 0u);
    EXPECT_EQ(out.levels[1].bytes_in, Bytes{64});
    EXPECT_EQ(out.levels[1].bytes_out, Bytes{0});
  }
}

TEST(NaiveSimulator, WriteThroughGoesOnUntilALevelKeepsIt) {
  const auto out =
      simulate(machine_of({write_through(level_of(1, 2), true), write_through(level_of(1, 4), false), level_of(1, 8)}),
               {store(0, 8, 8), modify(0, 8, 4)});
  EXPECT_EQ(out.levels[0].writes, tally(1, {.cold = 1}));
  EXPECT_EQ(out.levels[0].reads, tally(1, {}));
  EXPECT_EQ(out.levels[0].write_backs, 2u);
  EXPECT_EQ(out.levels[0].bytes_out, Bytes{12});
  EXPECT_EQ(out.levels[1].writes, tally(3, {.cold = 1}));
  EXPECT_EQ(out.levels[1].write_backs, 2u);
  EXPECT_EQ(out.levels[1].bytes_out, Bytes{12});
  EXPECT_EQ(out.levels[2].writes, tally(3, {.cold = 1}));
  EXPECT_EQ(out.levels[2].write_backs, 0u);
}

TEST(NaiveSimulator, AnExclusivePairHoldsTheLinesOfBoth) {
  const auto pair = machine_of({fully_associative(2), with(fully_associative(3), Inclusion::exclusive)});
  const auto fits = simulate(pair, letters("abcdeabcde"));
  EXPECT_EQ(fits.levels[0].reads, tally(10, {.cold = 5, .capacity = 5}));
  EXPECT_EQ(fits.levels[1].reads, tally(10, {.cold = 5}));
  EXPECT_EQ(fits.levels[0].bytes_in, Bytes{640});
  EXPECT_EQ(fits.levels[1].bytes_in, Bytes{320});
  EXPECT_EQ(fits.levels[0].bytes_out, Bytes{512});
  EXPECT_EQ(fits.levels[0].write_backs, 0u);
  EXPECT_EQ(fits.levels[1].bytes_out, Bytes{0});

  const auto too_many = simulate(pair, letters("abcdefabcdef"));
  EXPECT_EQ(too_many.levels[0].reads, tally(12, {.cold = 6, .capacity = 6}));
  EXPECT_EQ(too_many.levels[1].reads, tally(12, {.cold = 6, .capacity = 6}));
}

TEST(NaiveSimulator, AnExclusivePairPassesDirtyLinesToAndFro) {
  const auto out =
      simulate(machine_of({fully_associative(1), with(fully_associative(1), Inclusion::exclusive)}), letters("Ababc"));
  EXPECT_EQ(out.levels[0].write_backs, 2u);
  EXPECT_EQ(out.levels[0].bytes_out, Bytes{256});
  EXPECT_EQ(out.levels[1].writes, tally(1, {.cold = 1}));
  EXPECT_EQ(out.levels[1].reads, tally(4, {.cold = 2}));
  EXPECT_EQ(out.levels[1].write_backs, 1u);
  EXPECT_EQ(out.levels[1].bytes_out, Bytes{64});
  EXPECT_EQ(out.levels[1].bytes_in, Bytes{192});
}

TEST(NaiveSimulator, AnInclusiveLevelTakesItsVictimsFromNearerLevels) {
  const auto pair = machine_of({fully_associative(2), with(fully_associative(2), Inclusion::inclusive)});
  const auto clean = simulate(pair, letters("abaca"));
  EXPECT_EQ(clean.levels[0].reads, tally(5, {.cold = 3, .inclusion = 1}));
  EXPECT_EQ(clean.levels[1].reads, tally(4, {.cold = 3, .capacity = 1}));
  EXPECT_EQ(clean.levels[0].invalidations, 0u);
  EXPECT_EQ(clean.levels[0].write_backs, 0u);

  const auto dirty = simulate(pair, letters("abAca"));
  EXPECT_EQ(dirty.levels[0].write_backs, 1u);
  EXPECT_EQ(dirty.levels[0].bytes_out, Bytes{64});
  EXPECT_EQ(dirty.levels[1].write_backs, 1u);
  EXPECT_EQ(dirty.levels[1].bytes_out, Bytes{64});

  const auto no_relation = simulate(machine_of({fully_associative(2), fully_associative(2)}), letters("abaca"));
  EXPECT_EQ(no_relation.levels[0].reads, tally(5, {.cold = 3}));
}

TEST(NaiveSimulator, ALineOfTheOuterLevelMayHoldSeveralOfTheInner) {
  const auto out = simulate(machine_of({level_of(1, 1, 16), level_of(1, 1, 64)}),
                            {load(0, 0), load(0, 16), store(0, 32), load(0, 48), load(0, 64)});
  EXPECT_EQ(out.levels[0].reads, tally(4, {.cold = 4}));
  EXPECT_EQ(out.levels[0].writes, tally(1, {.cold = 1}));
  EXPECT_EQ(out.levels[0].bytes_in, Bytes{80});
  EXPECT_EQ(out.levels[0].write_backs, 1u);
  EXPECT_EQ(out.levels[0].bytes_out, Bytes{16});
  EXPECT_EQ(out.levels[1].reads, tally(4, {.cold = 2}));
  EXPECT_EQ(out.levels[1].writes, tally(1, {}));
  EXPECT_EQ(out.levels[1].bytes_in, Bytes{128});
  EXPECT_EQ(out.levels[1].write_backs, 1u);
  EXPECT_EQ(out.levels[1].bytes_out, Bytes{64});
}

TEST(NaiveSimulator, ALineOfTheInnerLevelMayNeedSeveralOfTheOuter) {
  const auto out = simulate(machine_of({level_of(1, 1, 64), level_of(1, 2, 16)}), {store(0, 0), load(0, 64)});
  EXPECT_EQ(out.levels[0].writes, tally(1, {.cold = 1}));
  EXPECT_EQ(out.levels[0].reads, tally(1, {.cold = 1}));
  EXPECT_EQ(out.levels[0].bytes_in, Bytes{128});
  EXPECT_EQ(out.levels[0].write_backs, 1u);
  EXPECT_EQ(out.levels[0].bytes_out, Bytes{64});
  EXPECT_EQ(out.levels[1].writes, tally(4, {.cold = 4}));
  EXPECT_EQ(out.levels[1].reads, tally(4, {.cold = 4}));
  EXPECT_EQ(out.levels[1].bytes_in, Bytes{128});
  EXPECT_EQ(out.levels[1].write_backs, 4u);
  EXPECT_EQ(out.levels[1].bytes_out, Bytes{64});
}

TEST(NaiveSimulator, ThreadsTakeCoresInOrderOfAppearance) {
  const std::vector<Access> trace{load(9, 0), load(4, 0), load(7, 0), load(9, 0)};
  const auto levels = std::vector{level_of(1, 1), shared(level_of(1, 1), 2), shared(level_of(1, 4))};

  const auto own_cores = simulate(machine_of(levels), trace);
  EXPECT_EQ(own_cores.threads, 3u);
  EXPECT_EQ(own_cores.cores, 3u);
  EXPECT_EQ(own_cores.levels[0].instances, 3u);
  EXPECT_EQ(own_cores.levels[1].instances, 2u);
  EXPECT_EQ(own_cores.levels[2].instances, 1u);
  EXPECT_EQ(own_cores.levels[0].reads, tally(4, {.cold = 3}));
  EXPECT_EQ(own_cores.levels[1].reads, tally(3, {.cold = 2}));
  EXPECT_EQ(own_cores.levels[2].reads, tally(2, {.cold = 1}));

  const auto two_cores = simulate(machine_of(levels, Coherence::mesi, 2), trace);
  EXPECT_EQ(two_cores.threads, 3u);
  EXPECT_EQ(two_cores.cores, 2u);
  EXPECT_EQ(two_cores.levels[0].instances, 2u);
  EXPECT_EQ(two_cores.levels[1].instances, 1u);
  EXPECT_EQ(two_cores.levels[0].reads, tally(4, {.cold = 2}));
}

/// Counts the misses of a fully associative LRU cache from the definition of the stack distance.
std::uint64_t misses_by_distance(const std::vector<Line>& lines, std::uint64_t capacity) {
  std::uint64_t misses = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::set<Line> between;
    std::size_t j = i;
    while (j > 0 && lines[j - 1] != lines[i]) between.insert(lines[--j]);
    if (j == 0 || between.size() >= capacity) ++misses;
  }
  return misses;
}

std::vector<Line> touched_lines(const std::vector<Access>& trace, LineSize size) {
  std::vector<Line> lines;
  for (const Access& a : trace) {
    for (Line line : naive::lines_in({a.address, last_byte(a.address, a.size)}, size)) lines.push_back(line);
  }
  return lines;
}

std::vector<Access> loads_of_one_thread(std::vector<Access> trace) {
  for (Access& a : trace) {
    a.kind = AccessKind::read;
    a.thread = ThreadId{0};
  }
  return trace;
}

RC_GTEST_PROP(NaiveSimulatorProperty, FullyAssociativeLruMissesWhereTheDistanceSaysSo, ()) {
  const auto trace = loads_of_one_thread(*arbitrary_trace());
  const auto capacity = *rc::gen::inRange<std::uint64_t>(1, 12);
  const auto lines = touched_lines(trace, LineSize::of(16));
  const auto out = simulate(machine_of({level_of(1, capacity, 16)}), trace);
  RC_ASSERT(out.levels[0].reads.accesses == lines.size());
  RC_ASSERT(out.levels[0].reads.misses == misses_by_distance(lines, capacity));
}

RC_GTEST_PROP(NaiveSimulatorProperty, AnExclusiveLruPairMissesLikeOneCacheOfBothSizes, ()) {
  const auto trace = loads_of_one_thread(*arbitrary_trace());
  const auto inner = *rc::gen::inRange<std::uint64_t>(1, 6);
  const auto outer = *rc::gen::inRange<std::uint64_t>(1, 6);
  const auto out =
      simulate(machine_of({level_of(1, inner, 16), with(level_of(1, outer, 16), Inclusion::exclusive)}), trace);
  const auto lines = touched_lines(trace, LineSize::of(16));
  RC_ASSERT(out.levels[0].reads.misses == misses_by_distance(lines, inner));
  RC_ASSERT(out.levels[1].reads.misses == misses_by_distance(lines, inner + outer));
}

RC_GTEST_PROP(NaiveSimulatorProperty, EveryMissHasOneClassAndClassesChangeNothingElse, ()) {
  const auto scenario = *arbitrary_scenario();
  const auto with_classes = simulate(scenario.machine, scenario.trace, {.classify = true, .seed = scenario.seed});
  for (const LevelOutcome& level : with_classes.levels) {
    RC_ASSERT(level.reads.classes.total() == level.reads.misses);
    RC_ASSERT(level.writes.classes.total() == level.writes.misses);
  }
  auto without = with_classes;
  without.classified = false;
  for (LevelOutcome& level : without.levels) level.reads.classes = level.writes.classes = {};
  RC_ASSERT(simulate(scenario.machine, scenario.trace, {.classify = false, .seed = scenario.seed}) == without);
}

}  // namespace
}  // namespace cachescape::simulate
