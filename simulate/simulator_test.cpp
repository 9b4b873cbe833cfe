// The fast simulator against its twin, and against answers known by hand.
#include "simulate/simulator.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "simulate/arbitrary.hpp"
#include "simulate/naive_simulator.hpp"

namespace cachescape::simulate {
namespace {

/// In batches of a few accesses, with single ones in between: they take different ways through the code.
HierarchyOutcome run_fast(const Scenario& scenario, bool classify) {
  Simulator simulator(scenario.machine, {classify, scenario.seed});
  AccessBatch batch(7);
  for (std::size_t i = 0; i < scenario.trace.size(); ++i) {
    if (i % 11 == 10) {
      simulator.consume(batch);
      batch.clear();
      simulator.consume(scenario.trace[i]);
      continue;
    }
    batch.push(scenario.trace[i]);
    if (batch.full()) {
      simulator.consume(batch);
      batch.clear();
    }
  }
  simulator.consume(batch);
  return simulator.outcome();
}

HierarchyOutcome run_naive(const Scenario& scenario, bool classify) {
  NaiveSimulator simulator(scenario.machine, {classify, scenario.seed});
  for (const Access& a : scenario.trace) simulator.consume(a);
  return simulator.outcome();
}

/// rapidcheck runs 100 cases a property by default: too few for this many combinations of policies.
template <class Property>
void check_often(int hundreds, Property property) {
  for (int round = 0; round < hundreds; ++round) ASSERT_TRUE(rc::check(property));
}

TEST(Simulator, EqualsItsTwinOnRandomMachinesAndTraces) {
  check_often(20, [] {
    const Scenario scenario = *arbitrary_scenario();
    RC_ASSERT(run_fast(scenario, true) == run_naive(scenario, true));
  });
}

TEST(Simulator, CountsTheSameWithoutClasses) {
  check_often(10, [] {
    const Scenario scenario = *arbitrary_scenario();
    RC_ASSERT(run_fast(scenario, false) == run_naive(scenario, false));
  });
}

TEST(Simulator, WideCachesEqualTheTwinToo) {
  check_often(2, [] {
    Scenario scenario = *arbitrary_scenario();
    // Beyond 32 ways lines are found by hashing and ordered by lists.
    for (machine::Level& level : scenario.machine.levels) level.ways = *rc::gen::inRange<std::uint64_t>(33, 40);
    scenario.trace = *rc::gen::resize(400, arbitrary_trace());
    RC_ASSERT(run_fast(scenario, true) == run_naive(scenario, true));
  });
}

machine::Machine one_level(std::uint64_t sets, std::uint64_t ways) {
  machine::Machine m;
  machine::Level& l = m.levels.emplace_back();
  l.name = "L1";
  l.sets = sets;
  l.ways = ways;
  return m;
}

TEST(Simulator, AStreamMissesOncePerLine) {
  Simulator simulator(one_level(64, 8));
  for (std::uint64_t i = 0; i < 80'000; ++i)
    simulator.consume(Access{Address{i * 8}, 8, AccessKind::read, ThreadId{0}, SiteId{}});
  const Tally t = simulator.outcome().levels[0].reads;
  EXPECT_EQ(t.accesses, 80'000u);
  EXPECT_EQ(t.misses, 10'000u);
  EXPECT_EQ(t.classes, (MissClasses{.cold = 10'000}));
}

TEST(Simulator, ASweepLargerThanLruNeverHits) {
  Simulator simulator(one_level(1, 512));
  for (int round = 0; round < 3; ++round) {
    for (std::uint64_t line = 0; line < 513; ++line)
      simulator.consume(Access{Address{line * 64}, 8, AccessKind::read, ThreadId{0}, SiteId{}});
  }
  EXPECT_EQ(simulator.outcome().levels[0].reads.classes, (MissClasses{.cold = 513, .capacity = 1026}));
}

TEST(Simulator, TwoLinesOfOneSetConflictWhenDirectMapped) {
  Simulator simulator(one_level(16, 1));
  for (int i = 0; i < 10; ++i) {
    simulator.consume(Access{Address{0}, 8, AccessKind::read, ThreadId{0}, SiteId{}});
    simulator.consume(Access{Address{16 * 64}, 8, AccessKind::read, ThreadId{0}, SiteId{}});
  }
  EXPECT_EQ(simulator.outcome().levels[0].reads.classes, (MissClasses{.cold = 2, .conflict = 18}));
}

TEST(Simulator, TheEndOfTheAddressSpaceIsALineLikeAnyOther) {
  machine::Machine m = one_level(4, 2);
  m.levels[0].line = LineSize{0};
  Simulator simulator(m);
  simulator.consume(Access{Address{~std::uint64_t{0} - 1}, 100, AccessKind::write, ThreadId{0}, SiteId{}});
  const LevelOutcome l = simulator.outcome().levels[0];
  EXPECT_EQ(l.writes.accesses, 2u);
  EXPECT_EQ(l.writes.misses, 2u);
}

}  // namespace
}  // namespace cachescape::simulate
