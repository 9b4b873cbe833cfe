#include "analyze/coherence/hole_sets.hpp"

#include <map>
#include <random>
#include <utility>

#include <gtest/gtest.h>

#include "analyze/coherence/hole_stack_naive.hpp"

namespace cachescape::analyze {
namespace {

TEST(HoleSets, AreAsManyShortStacks) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 64; ++round) {
    const unsigned log2_sets = static_cast<unsigned>(random() % 6);
    const unsigned ways = 1 + static_cast<unsigned>(random() % (round % 4 == 0 ? HoleSets::most_ways : 17));
    const std::uint64_t lines = std::uint64_t{1} << (1 + random() % 10);
    const unsigned taken_in_100 = static_cast<unsigned>(random() % 30);
    HoleSets sets(log2_sets, ways, round % 2 == 0 ? HoleSets::Path::automatic : HoleSets::Path::portable);
    std::map<std::pair<unsigned, std::uint64_t>, NaiveHoleStack> stacks;  // by level and set
    std::map<unsigned, std::array<std::vector<std::uint64_t>, access_kinds>> hits;
    for (unsigned level = 0; level <= log2_sets; ++level) hits[level].fill(std::vector<std::uint64_t>(ways));
    for (int i = 0; i < 3000; ++i) {
      const Line line{random() % (1 + random() % lines)};
      const auto number = static_cast<std::uint32_t>(line.value + 1);
      const auto kind = static_cast<AccessKind>(random() % access_kinds);
      const bool taken = random() % 100 < taken_in_100;
      const HoleSets::Depths depths = taken ? sets.take(line, number) : HoleSets::Depths{};
      if (!taken) sets.touch(line, number, kind);
      for (unsigned level = 0; level <= log2_sets; ++level) {
        NaiveHoleStack& stack = stacks[{level, line.value % (1u << level)}];
        const std::uint32_t depth = stack.depth(line);
        if (!taken) {
          stack.touch(line);
          if (depth < ways) ++hits[level][static_cast<std::size_t>(kind)][depth];
          continue;
        }
        ASSERT_EQ(depths[level], std::min<std::uint32_t>(depth, ways));
        if (depth != cold_distance) stack.take(line);
      }
    }
    for (unsigned level = 0; level <= log2_sets; ++level) ASSERT_EQ(sets.hits(level), hits[level]);
  }
}

}  // namespace
}  // namespace cachescape::analyze
