#include "product/synth/placement.hpp"

#include <map>
#include <set>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace cachescape::synth {
namespace {

RC_GTEST_PROP(Placement, NoTwoWordsAtOnePlace, (const std::vector<bool>& crowded)) {
  signature::Detail detail;
  detail.steps = {{0, 5}, {64, 3}};
  Random random(1);
  Placer placer(&detail, *rc::gen::inRange<std::uint64_t>(1, 10'000));
  DepthBins recent;
  std::uint32_t blocks = 0;
  for (const bool crowd : crowded) {
    placer.place(recent, crowd, random);
    recent.touch(blocks++);
  }
  const Placement placement = placer.take();
  std::set<std::uint64_t> words;
  for (std::uint32_t block = 0; block < blocks; ++block) {
    RC_ASSERT(placement.places[block] < placement.end);
    for (unsigned word = 0; word < 128; ++word) {
      RC_ASSERT(words.insert(placement.word(block, static_cast<std::uint8_t>(word))).second);
    }
  }
}

TEST(Placement, CrowdedBlocksLieAsTheProgramsDid) {
  signature::Detail detail;
  detail.steps = {{0, 1}};
  for (const bool crowded : {false, true}) {
    Random random(1);
    Placer placer(&detail, 4);
    DepthBins recent;
    std::set<std::uint64_t> columns;
    for (std::uint32_t block = 0; block < 4; ++block) {
      placer.place(recent, crowded, random);
      recent.touch(block);
      columns.insert(placer.placement().places[block] % 64);
    }
    EXPECT_EQ(columns.size(), crowded ? 1u : 4u);
  }
}

RC_GTEST_PROP(Placement, GatheringLeavesBlocksInTheirSets, (const std::vector<bool>& crowded)) {
  signature::Detail detail;
  detail.steps = {{3, 5}, {64, 3}};
  Random random(1);
  Placer placer(&detail, 100);
  DepthBins recent;
  std::vector<std::uint32_t> visits;
  for (const bool crowd : crowded) {
    placer.place(recent, crowd, random);
    recent.touch(static_cast<std::uint32_t>(visits.size()));
    visits.push_back(*rc::gen::inRange<std::uint32_t>(0, 5));
  }
  const Placement before = placer.placement();
  placer.gather(visits);
  const Placement after = placer.take();
  std::map<std::uint32_t, std::size_t> blocks;
  for (std::size_t block = 0; block < visits.size(); ++block) {
    RC_ASSERT(after.places[block] < after.end);
    RC_ASSERT(after.places[block] % 64 == before.places[block] % 64);
    RC_ASSERT(blocks.emplace(after.places[block], block).second);
  }
  // No place before a block is empty, or has one that is visited less.
  for (const auto& [place, block] : blocks) {
    if (place < 64) continue;
    RC_ASSERT(blocks.contains(place - 64));
    RC_ASSERT(visits[blocks[place - 64]] >= visits[block]);
  }
}

}  // namespace
}  // namespace cachescape::synth
