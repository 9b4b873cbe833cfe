// The simulator judges the models: single LRU levels in the recorded grid agree with it to the access.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "cachescape/analyzer.hpp"
#include "model/naive_profile.hpp"
#include "model/predict.hpp"
#include "simulate/arbitrary.hpp"
#include "simulate/naive_simulator.hpp"
#include "simulate/simulator.hpp"

namespace cachescape::model {
namespace {

using machine::Level;
using machine::Machine;

Machine one_level(std::uint64_t sets, std::uint64_t ways, LineSize line) {
  Machine machine;
  machine.name = "test";
  machine.cores = 1;
  Level level;
  level.name = "L1";
  level.sets = sets;
  level.ways = ways;
  level.line = line;
  machine.levels.push_back(level);
  return machine;
}

/// The tallies without their classes.
Tally plain(Tally t) {
  t.classes = {};
  return t;
}

RC_GTEST_PROP(AgainstSimulator, SingleLruLevelsInTheGridAgreeToTheAccess, ()) {
  const std::vector<Access> trace = *rc::gen::resize(100, simulate::arbitrary_trace());
  const LineSize line{*rc::gen::element(2u, 4u, 6u)};
  const std::uint64_t sets = *rc::gen::element<std::uint64_t>(1, 2, 3, 4, 8, 16);
  const std::uint64_t ways = *rc::gen::inRange<std::uint64_t>(1, 9);
  const Profile profile = naive::profile_of(
      trace, {.lines = {LineSize{2}, LineSize{4}, LineSize{6}}, .sets = {1, 2, 3, 4, 8, 16}, .ways = 8});
  const Machine machine = one_level(sets, ways, line);
  simulate::NaiveSimulator simulator(machine, {});
  for (const Access& a : trace) simulator.consume(a);
  const LevelOutcome truth = simulator.outcome().levels[0];
  const auto prediction = predict(profile, machine);
  RC_ASSERT(prediction.has_value());
  const LevelOutcome& got = prediction->outcome.levels[0];
  RC_ASSERT(prediction->levels[0].exact());
  RC_ASSERT(plain(got.reads) == plain(truth.reads));
  RC_ASSERT(plain(got.writes) == plain(truth.writes));
  RC_ASSERT(got.reads.classes.cold == truth.reads.classes.cold);
  RC_ASSERT(got.writes.classes.cold == truth.writes.classes.cold);
  RC_ASSERT(got.total().classes.total() == got.total().misses);
  RC_ASSERT(got.reads.classes.conflict <= truth.reads.classes.conflict);
  RC_ASSERT(got.writes.classes.conflict <= truth.writes.classes.conflict);
  RC_ASSERT(got.bytes_in == truth.bytes_in);
  RC_ASSERT(got.instances == truth.instances || trace.empty());
  if (sets == 1) RC_ASSERT(got.reads.classes == truth.reads.classes);
}

// Without writes there is no coherence to speak of, and private caches see their own thread alone.
RC_GTEST_PROP(AgainstSimulator, PrivateLevelsOfReadersAgreeToTheAccess, ()) {
  std::vector<Access> trace = *rc::gen::resize(100, simulate::arbitrary_trace());
  for (Access& a : trace) a.kind = AccessKind::read;
  const std::uint64_t sets = *rc::gen::element<std::uint64_t>(1, 2, 4);
  const std::uint64_t ways = *rc::gen::inRange<std::uint64_t>(1, 5);
  const Profile profile =
      naive::profile_of(trace, {.lines = {LineSize{5}}, .sets = {1, 2, 4}, .ways = 4, .by_thread = true});
  Machine machine = one_level(sets, ways, LineSize{5});
  machine.cores = 0;
  machine.coherence = machine::Coherence::none;
  simulate::Simulator simulator(machine, {});
  for (const Access& a : trace) simulator.consume(a);
  const auto prediction = predict(profile, machine);
  RC_ASSERT(prediction.has_value());
  RC_ASSERT(plain(prediction->outcome.levels[0].reads) == plain(simulator.outcome().levels[0].reads));
  RC_ASSERT(prediction->levels[0].exact());
}

RC_GTEST_PROP(AgainstSimulator, WriteBacksOfFullyAssociativeLevelsAgreeToTheLine, ()) {
  const std::vector<Access> trace = *rc::gen::resize(100, simulate::arbitrary_trace());
  const LineSize line{*rc::gen::element(2u, 4u, 6u)};
  const std::uint64_t ways = *rc::gen::inRange<std::uint64_t>(1, 12);
  const Profile profile = naive::profile_of(trace, {.lines = {line}, .write_backs = true});
  const Machine machine = one_level(1, ways, line);
  simulate::Simulator simulator(machine, {});
  for (const Access& a : trace) simulator.consume(a);
  const LevelOutcome truth = simulator.outcome().levels[0];
  const auto prediction = predict(profile, machine);
  RC_ASSERT(prediction.has_value());
  RC_ASSERT(prediction->levels[0].write_backs == WriteBackMethod::exact);
  RC_ASSERT(prediction->levels[0].write_back_note.empty());
  RC_ASSERT(prediction->outcome.levels[0].write_backs == truth.write_backs);
  RC_ASSERT(prediction->outcome.levels[0].bytes_out == truth.bytes_out);
}

// Whatever the machine: the outcome is consistent, and level 1 misses between cold and all touches.
RC_GTEST_PROP(AgainstSimulator, AnyMachineGivesAConsistentOutcome, ()) {
  const simulate::Scenario scenario = *rc::gen::resize(60, simulate::arbitrary_scenario());
  const Profile profile =
      naive::profile_of(scenario.trace, {.lines = {LineSize{2}, LineSize{3}, LineSize{4}, LineSize{5}, LineSize{6}},
                                         .sets = {1, 2, 4},
                                         .ways = 4,
                                         .by_thread = true,
                                         .write_backs = true});
  const auto prediction = predict(profile, scenario.machine);
  RC_ASSERT(prediction.has_value());
  std::uint64_t reads = 0;
  std::uint64_t writes = 0;
  for (std::size_t i = 0; i < prediction->outcome.levels.size(); ++i) {
    const LevelOutcome& l = prediction->outcome.levels[i];
    for (const Tally& t : {l.reads, l.writes}) {
      RC_ASSERT(t.misses <= t.accesses);
      RC_ASSERT(t.classes.total() == t.misses);
    }
    if (i > 0) {
      RC_ASSERT(l.reads.accesses == reads);
      RC_ASSERT(l.writes.accesses == writes);
    }
    reads = l.reads.misses;
    writes = l.writes.misses;
    RC_ASSERT(l.write_backs <= l.total().misses);
    const LevelPrediction& how = prediction->levels[i];
    RC_ASSERT((how.write_backs == WriteBackMethod::exact) == how.write_back_note.empty());
    RC_ASSERT(how.write_backs != WriteBackMethod::unknown || l.write_backs == 0);
  }
  simulate::Simulator simulator(scenario.machine, {});
  for (const Access& a : scenario.trace) simulator.consume(a);
  const HierarchyOutcome truth = simulator.outcome();
  RC_ASSERT(prediction->outcome.accesses == truth.accesses);
  RC_ASSERT(prediction->outcome.threads == truth.threads);
  RC_ASSERT(prediction->outcome.cores == truth.cores);
  RC_ASSERT(prediction->outcome.levels[0].reads.accesses == truth.levels[0].reads.accesses);
  RC_ASSERT(prediction->outcome.levels[0].writes.accesses == truth.levels[0].writes.accesses);
  if (prediction->levels[0].exact()) {
    RC_ASSERT(plain(prediction->outcome.levels[0].reads) == plain(truth.levels[0].reads));
    RC_ASSERT(plain(prediction->outcome.levels[0].writes) == plain(truth.levels[0].writes));
  }
  if (prediction->levels[0].write_backs == WriteBackMethod::exact) {
    RC_ASSERT(prediction->outcome.levels[0].write_backs == truth.levels[0].write_backs);
    RC_ASSERT(prediction->outcome.levels[0].bytes_out == truth.levels[0].bytes_out);
  }
}

// Lines that fall into sets at random are what the SDCM assumes: it must be close to the simulator there.
TEST(AgainstSimulator, SdcmIsCloseOnRandomLines) {
  simulate::SplitMix64 random(3);
  std::vector<Access> trace;
  for (int i = 0; i < 40'000; ++i) {
    const std::uint64_t hot = random.next() % 4 == 0 ? 6000 : 1000;
    const std::uint64_t line = simulate::SplitMix64(random.next() % hot).next() >> 20;
    const AccessKind kind = random.next() % 3 == 0 ? AccessKind::write : AccessKind::read;
    trace.push_back({Address{line * 64}, 8, kind, ThreadId{0}, SiteId{0}});
  }
  auto analyzer = Analyzer::create({.lines = {LineSize{6}}, .set_lines = {}});
  AccessBatch batch(trace.size());
  for (const Access& a : trace) batch.push(a);
  analyzer->consume(batch);
  const Profile profile = analyzer->profile();
  for (const std::uint64_t ways : {1u, 2u, 4u, 8u}) {
    const Machine machine = one_level(1024 / ways, ways, LineSize{6});
    simulate::Simulator simulator(machine, {});
    for (const Access& a : trace) simulator.consume(a);
    const auto prediction = predict(profile, machine);
    ASSERT_TRUE(prediction.has_value());
    EXPECT_EQ(prediction->levels[0].method, Method::sdcm);
    const auto truth = static_cast<double>(simulator.outcome().levels[0].total().misses);
    EXPECT_NEAR(static_cast<double>(prediction->outcome.levels[0].total().misses), truth, 0.01 * 40'000) << ways;
    // The several touches between two writes have as many chances to miss; only the farthest is judged.
    EXPECT_EQ(prediction->levels[0].write_backs, WriteBackMethod::modelled);
    EXPECT_EQ(prediction->levels[0].write_back_note, "the misses are not exact");
    const auto written_back = static_cast<double>(simulator.outcome().levels[0].write_backs);
    EXPECT_NEAR(static_cast<double>(prediction->outcome.levels[0].write_backs), written_back, 0.1 * written_back)
        << ways;
  }
}

}  // namespace
}  // namespace cachescape::model
