// Coherence between cores, worked by hand.
#include <gtest/gtest.h>

#include <vector>

#include "machine/machine.hpp"
#include "simulate/naive_simulator.hpp"
#include "simulate/naive_worked_example.hpp"

namespace cachescape::simulate {
namespace {

using namespace worked_example;
using machine::Coherence;
using machine::Inclusion;

machine::Machine private_l1_shared_l2(Coherence coherence) {
  return machine_of({level_of(1, 4), shared(level_of(1, 8))}, coherence);
}

std::vector<Access> ping_pong(std::uint64_t address0, std::uint64_t address1) {
  std::vector<Access> trace;
  for (int round = 0; round < 3; ++round) {
    trace.push_back(store(0, address0));
    trace.push_back(store(1, address1));
  }
  return trace;
}

TEST(NaiveCoherence, TwoWritersOfDifferentBytesShareFalsely) {
  for (auto coherence : {Coherence::msi, Coherence::mesi}) {
    const auto out = simulate(private_l1_shared_l2(coherence), ping_pong(0, 4));
    EXPECT_EQ(out.levels[0].writes, tally(6, {.cold = 2, .false_sharing = 4}));
    EXPECT_EQ(out.levels[0].invalidations, 5u);
    EXPECT_EQ(out.levels[0].remote_hits, 5u);
    EXPECT_EQ(out.levels[0].write_backs, 5u);
    EXPECT_EQ(out.levels[0].upgrades, 0u);
    EXPECT_EQ(out.levels[0].bytes_out, Bytes{320});
    EXPECT_EQ(out.levels[0].bytes_in, Bytes{384});
    EXPECT_EQ(out.levels[1].writes, tally(6, {.cold = 1}));
    EXPECT_EQ(out.levels[1].remote_hits, 0u);
    EXPECT_EQ(out.levels[1].write_backs, 0u);
  }
}

TEST(NaiveCoherence, TwoWritersOfTheSameBytesShareTruly) {
  for (auto coherence : {Coherence::msi, Coherence::mesi}) {
    const auto same = simulate(private_l1_shared_l2(coherence), ping_pong(0, 0));
    EXPECT_EQ(same.levels[0].writes, tally(6, {.cold = 2, .true_sharing = 4}));
    const auto overlapping = simulate(private_l1_shared_l2(coherence), ping_pong(0, 3));
    EXPECT_EQ(overlapping.levels[0].writes, tally(6, {.cold = 2, .true_sharing = 4}));
  }
}

TEST(NaiveCoherence, BytesWrittenAfterTheInvalidationCountToo) {
  const auto machine = private_l1_shared_l2(Coherence::mesi);
  const auto out = simulate(machine, {load(0, 0), store(1, 32), store(1, 0), load(0, 0)});
  EXPECT_EQ(out.levels[0].reads, tally(2, {.cold = 1, .true_sharing = 1}));
  const auto other = simulate(machine, {load(0, 0), store(1, 32), store(1, 8), load(0, 0)});
  EXPECT_EQ(other.levels[0].reads, tally(2, {.cold = 1, .false_sharing = 1}));
}

TEST(NaiveCoherence, WithoutCoherenceNobodyIsDisturbed) {
  const auto out = simulate(private_l1_shared_l2(Coherence::none), ping_pong(0, 0));
  EXPECT_EQ(out.levels[0].writes, tally(6, {.cold = 2}));
  EXPECT_EQ(out.levels[0].invalidations, 0u);
  EXPECT_EQ(out.levels[0].upgrades, 0u);
  EXPECT_EQ(out.levels[0].write_backs, 0u);
}

TEST(NaiveCoherence, ThreadsOfOneCoreDoNotDisturbEachOther) {
  auto machine = private_l1_shared_l2(Coherence::mesi);
  machine.cores = 1;
  const auto out = simulate(machine, ping_pong(0, 4));
  EXPECT_EQ(out.threads, 2u);
  EXPECT_EQ(out.cores, 1u);
  EXPECT_EQ(out.levels[0].writes, tally(6, {.cold = 1}));
}

TEST(NaiveCoherence, OnlyMsiAsksBeforeTheFirstWriteToALineOfItsOwn) {
  const std::vector<Access> trace{load(0, 0), store(0, 0), store(0, 0)};
  EXPECT_EQ(simulate(private_l1_shared_l2(Coherence::msi), trace).levels[0].upgrades, 1u);
  EXPECT_EQ(simulate(private_l1_shared_l2(Coherence::mesi), trace).levels[0].upgrades, 0u);
  EXPECT_EQ(simulate(private_l1_shared_l2(Coherence::none), trace).levels[0].upgrades, 0u);
}

TEST(NaiveCoherence, BothAskBeforeWritingWhatOthersRead) {
  const std::vector<Access> trace{load(0, 0),  load(1, 0),   store(0, 0), store(0, 0),
                                  load(1, 16), store(1, 16), load(0, 0)};
  for (auto coherence : {Coherence::msi, Coherence::mesi}) {
    const auto out = simulate(private_l1_shared_l2(coherence), trace);
    EXPECT_EQ(out.levels[0].reads, tally(4, {.cold = 2, .false_sharing = 2}));
    EXPECT_EQ(out.levels[0].writes, tally(3, {}));
    EXPECT_EQ(out.levels[0].upgrades, 2u);
    EXPECT_EQ(out.levels[0].invalidations, 2u);
    EXPECT_EQ(out.levels[0].remote_hits, 2u);
    EXPECT_EQ(out.levels[0].write_backs, 2u);
    EXPECT_EQ(out.levels[0].bytes_in, Bytes{256});
    EXPECT_EQ(out.levels[1].reads, tally(4, {.cold = 1}));
    EXPECT_EQ(out.levels[1].writes, Tally{});
  }
}

TEST(NaiveCoherence, WritesOfOnePairReachTheCachesOfTheOther) {
  const auto machine =
      machine_of({level_of(1, 4), shared(level_of(1, 8), 2), shared(level_of(1, 16))}, Coherence::mesi);
  std::vector<Access> trace{store(0, 0), load(1, 64), store(2, 0)};
  const auto after_store = simulate(machine, trace);
  EXPECT_EQ(after_store.levels[0].instances, 3u);
  EXPECT_EQ(after_store.levels[1].instances, 2u);
  EXPECT_EQ(after_store.levels[0].invalidations, 1u);
  EXPECT_EQ(after_store.levels[0].write_backs, 1u);
  EXPECT_EQ(after_store.levels[0].remote_hits, 0u);
  EXPECT_EQ(after_store.levels[1].invalidations, 1u);
  EXPECT_EQ(after_store.levels[1].write_backs, 1u);
  EXPECT_EQ(after_store.levels[1].remote_hits, 1u);
  EXPECT_EQ(after_store.levels[2].invalidations, 0u);
  EXPECT_EQ(after_store.levels[2].write_backs, 0u);
  EXPECT_EQ(after_store.levels[2].writes, tally(2, {.cold = 1}));

  trace.push_back(load(0, 0));
  const auto after_load = simulate(machine, trace);
  EXPECT_EQ(after_load.levels[0].reads, tally(2, {.cold = 1, .true_sharing = 1}));
  EXPECT_EQ(after_load.levels[1].reads, tally(2, {.cold = 1, .true_sharing = 1}));
  EXPECT_EQ(after_load.levels[2].reads, tally(2, {.cold = 1}));
  EXPECT_EQ(after_load.levels[0].write_backs, 2u);
  EXPECT_EQ(after_load.levels[1].write_backs, 2u);
  EXPECT_EQ(after_load.levels[1].remote_hits, 2u);
  EXPECT_EQ(after_load.levels[0].upgrades, 0u);

  trace.push_back(store(0, 0));
  const auto upgraded = simulate(machine, trace);
  EXPECT_EQ(upgraded.levels[0].upgrades, 1u);
  EXPECT_EQ(upgraded.levels[0].invalidations, 2u);
  EXPECT_EQ(upgraded.levels[1].invalidations, 2u);
  EXPECT_EQ(upgraded.levels[1].remote_hits, 2u);
}

TEST(NaiveCoherence, PrivateOuterLinesWidenTheInvalidation) {
  const auto machine = machine_of({level_of(1, 8, 16), level_of(1, 8, 64)}, Coherence::mesi);
  const auto out = simulate(machine, {load(0, 0), load(0, 48), store(1, 16), load(0, 0), load(0, 16)});
  EXPECT_EQ(out.levels[0].invalidations, 2u);
  EXPECT_EQ(out.levels[1].invalidations, 1u);
  EXPECT_EQ(out.levels[0].reads, tally(4, {.cold = 3, .false_sharing = 1}));
  EXPECT_EQ(out.levels[1].reads, tally(4, {.cold = 1, .false_sharing = 1}));
  EXPECT_EQ(out.levels[1].remote_hits, 1u);
  EXPECT_EQ(out.levels[0].write_backs, 1u);
  EXPECT_EQ(out.levels[1].write_backs, 1u);
}

TEST(NaiveCoherence, WriteThroughPeersLoseTheirCopies) {
  const auto machine = machine_of({write_through(level_of(1, 4), false), shared(level_of(1, 8))}, Coherence::mesi);
  const auto out = simulate(machine, {load(0, 0), store(1, 0), load(0, 0)});
  EXPECT_EQ(out.levels[0].reads, tally(2, {.cold = 1, .true_sharing = 1}));
  EXPECT_EQ(out.levels[0].writes, tally(1, {.cold = 1}));
  EXPECT_EQ(out.levels[0].invalidations, 1u);
  EXPECT_EQ(out.levels[0].remote_hits, 0u);
  EXPECT_EQ(out.levels[0].write_backs, 1u);
  EXPECT_EQ(out.levels[0].bytes_out, Bytes{4});
  EXPECT_EQ(out.levels[1].writes, tally(1, {}));
}

TEST(NaiveCoherence, ASharedExclusiveLevelMergesTheCopiesItIsGiven) {
  const auto machine =
      machine_of({level_of(1, 1), with(shared(level_of(1, 2)), Inclusion::exclusive)}, Coherence::mesi);
  const auto out = simulate(machine, {load(0, 0), load(1, 0), load(0, 64), load(1, 128), load(0, 0)});
  EXPECT_EQ(out.levels[0].reads, tally(5, {.cold = 4, .capacity = 1}));
  EXPECT_EQ(out.levels[1].reads, tally(5, {.cold = 3, .capacity = 1}));
  EXPECT_EQ(out.levels[0].bytes_out, Bytes{192});
  EXPECT_EQ(out.levels[1].bytes_in, Bytes{256});
  EXPECT_EQ(out.levels[1].bytes_out, Bytes{0});
}

}  // namespace
}  // namespace cachescape::simulate
