#include "product/synth/placement.hpp"

#include <set>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace cachescape::synth {
namespace {

RC_GTEST_PROP(Placement, NoTwoWordsAtOnePlace, (bool crowded)) {
  const auto choices = *rc::gen::container<std::vector<std::uint32_t>>(rc::gen::inRange<std::uint32_t>(0, 1000));
  std::vector<Reference> references;
  std::uint32_t blocks = 0;
  for (const std::uint32_t choice : choices) {
    const std::uint32_t block = choice % (blocks + 1);
    blocks += block == blocks ? 1 : 0;
    references.push_back({block, static_cast<std::uint8_t>(choice % 128), 0});
  }
  signature::Detail detail;
  detail.steps = {{0, 5}, {64, 3}};
  Random random(1);
  const Placement placement = place_blocks(references, blocks, detail, crowded ? 1 : 0, random);
  RC_ASSERT(std::set(placement.places.begin(), placement.places.end()).size() == blocks);
  for (const std::uint32_t place : placement.places) RC_ASSERT(place < placement.end);
  std::set<std::uint64_t> words;
  for (std::uint32_t block = 0; block < blocks; ++block) {
    for (unsigned word = 0; word < 128; ++word) {
      RC_ASSERT(words.insert(placement.word({block, static_cast<std::uint8_t>(word), 0})).second);
    }
  }
}

/// Four blocks in turn, in a cache of 64 sets.
TEST(Placement, CrowdsAsMuchAsTheSignatureSays) {
  std::vector<Reference> references;
  for (unsigned i = 0; i < 4000; ++i) references.push_back({i % 4, 0, 0});
  signature::Detail detail;
  detail.steps = {{0, 1}};
  for (const double hits : {0.0, 1.0}) {
    detail.sets = {{64, 1, hits}};
    const Placement placement = best_placement(references, 4, detail, 1);
    std::set<std::uint64_t> columns;
    for (const std::uint32_t place : placement.places) columns.insert(place % 64);
    EXPECT_EQ(columns.size(), hits > 0.5 ? 4u : 1u);
  }
}

}  // namespace
}  // namespace cachescape::synth
