#include "product/proxy/chosen_chains.hpp"

#include <gtest/gtest.h>

#include "product/proxy/seed_example.hpp"

namespace cachescape::proxy {
namespace {

void add_target(synth::Seed& seed, double parallelism, std::uint64_t references) {
  signature::Signature target;
  target.references = references;
  target.detail.emplace().parallelism = parallelism;
  seed.targets.push_back(target);
}

TEST(ChosenChains, OneWhereNobodyKnows) {
  synth::Seed seed = seed_of({0});
  EXPECT_EQ(parallelism_of(seed), std::nullopt);
  seed.targets.emplace_back();
  add_target(seed, 0, 100);
  EXPECT_EQ(parallelism_of(seed), std::nullopt);
  EXPECT_EQ(chosen_chains(std::nullopt), 1u);
}

TEST(ChosenChains, AreTheMeanOfThePhasesThatAreKnown) {
  synth::Seed seed = seed_of({0});
  add_target(seed, 2, 300);
  add_target(seed, 6, 100);
  add_target(seed, 0, 1000);
  EXPECT_DOUBLE_EQ(*parallelism_of(seed), 3);
}

TEST(ChosenChains, StayWithinWhatThereIs) {
  EXPECT_EQ(chosen_chains(0.2), 1u);
  EXPECT_EQ(chosen_chains(3.4), 3u);
  EXPECT_EQ(chosen_chains(3.6), 4u);
  EXPECT_EQ(chosen_chains(1000), 20u);
}

}  // namespace
}  // namespace cachescape::proxy
