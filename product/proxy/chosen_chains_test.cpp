#include "product/proxy/chosen_chains.hpp"

#include <gtest/gtest.h>

#include "product/proxy/chase.hpp"
#include "product/proxy/seed_example.hpp"

namespace cachescape::proxy {
namespace {

void add_phase(synth::Seed& seed, double parallelism, std::uint64_t length) {
  synth::SeedPhase phase;
  phase.length = length;
  phase.target.detail.emplace().parallelism = parallelism;
  seed.phases.push_back(phase);
}

TEST(ChosenChains, OneWhereNobodyKnows) {
  synth::Seed seed = seed_of({0});
  EXPECT_EQ(parallelism_of(seed), std::nullopt);
  seed.phases.emplace_back();
  add_phase(seed, 0, 100);
  EXPECT_EQ(parallelism_of(seed), std::nullopt);
  EXPECT_EQ(chosen_chains(std::nullopt), 1u);
}

TEST(ChosenChains, AreTheMeanOfThePhasesThatAreKnown) {
  synth::Seed seed = seed_of({0});
  add_phase(seed, 2, 300);
  add_phase(seed, 6, 100);
  add_phase(seed, 0, 1000);
  EXPECT_DOUBLE_EQ(*parallelism_of(seed), 3);
}

TEST(ChosenChains, StayWithinWhatThereIs) {
  EXPECT_EQ(chosen_chains(0.2), 1u);
  EXPECT_EQ(chosen_chains(3.4), 3u);
  EXPECT_EQ(chosen_chains(3.6), 4u);
  EXPECT_EQ(chosen_chains(1000), chains_in_registers);
}

}  // namespace
}  // namespace cachescape::proxy
