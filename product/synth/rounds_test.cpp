#include "product/synth/rounds.hpp"

#include <map>
#include <set>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace cachescape::synth {
namespace {

/// Blocks and lines of 64 bytes, half of them far away.
Aim some_aim() {
  Aim aim;
  signature::HitRates rates{};
  for (std::size_t b = 0; b < signature_depths; ++b) rates[b] = b < 6 ? 0.5 : b < 10 ? 0.75 : 1;
  aim.blocks = shares_of(rates, std::nullopt);
  aim.lines[4] = shares_of(rates, std::nullopt);
  aim.least_line = 4;
  aim.different_blocks = 500;
  return aim;
}

struct Round {
  std::vector<Reference> references;
  Placement placement;
};

Round some_round() {
  Round round;
  const auto choices = *rc::gen::container<std::vector<std::uint32_t>>(rc::gen::inRange<std::uint32_t>(0, 100'000));
  Placer placer(nullptr, 64);
  DepthBins recent;
  Random random(1);
  std::uint32_t blocks = 0;
  for (const std::uint32_t choice : choices) {
    const std::uint32_t block = choice % (blocks + 1);
    if (block == blocks) placer.place(recent, false, random), ++blocks;
    recent.touch(block);
    round.references.push_back({block, static_cast<std::uint8_t>(choice % 128), 0});
  }
  round.placement = placer.take();
  return round;
}

RC_GTEST_PROP(Rounds, AchieveWhatMeasuringThemSays, ()) {
  const Round round = some_round();
  const auto count = *rc::gen::inRange<std::uint64_t>(1, 6);
  Random random(1);
  const Aim aim = some_aim();
  const Rounds made = make_rounds(round.references, round.placement, aim, count, random);
  RC_ASSERT(made.references.size() == round.references.size() * count);
  const Achieved measured = measure(made.references, aim);
  RC_ASSERT(made.achieved.references == measured.references);
  RC_ASSERT(made.achieved.blocks == measured.blocks);
  RC_ASSERT(made.achieved.first == measured.first);
  RC_ASSERT(made.achieved.later == measured.later);
}

RC_GTEST_PROP(Rounds, EachIsTheSameOnBlocksInTheSameSets, ()) {
  const Round round = some_round();
  Random random(1);
  const Rounds made = make_rounds(round.references, round.placement, some_aim(), 4, random);
  const std::set<std::uint32_t> places(made.placement.places.begin(), made.placement.places.end());
  RC_ASSERT(places.size() == made.placement.places.size());
  const std::size_t length = round.references.size();
  for (std::size_t k = 0; k < 4; ++k) {
    std::map<std::uint32_t, std::uint32_t> blocks;
    for (std::size_t i = 0; i < length; ++i) {
      const Reference& r = made.references[k * length + i];
      const Reference& base = round.references[i];
      RC_ASSERT(blocks.try_emplace(base.block, r.block).first->second == r.block);
      const std::uint64_t before = round.placement.word(base.block, base.word);
      RC_ASSERT(made.placement.word(r.block, r.word) % (64 * 128) == before % (64 * 128));
    }
  }
}

}  // namespace
}  // namespace cachescape::synth
