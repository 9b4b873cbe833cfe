// Replacement policies worked by hand, seen from outside: which accesses of a known sequence miss.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "machine/machine.hpp"
#include "simulate/naive_simulator.hpp"
#include "simulate/naive_worked_example.hpp"
#include "simulate/random.hpp"

namespace cachescape::simulate {
namespace {

using namespace worked_example;
using machine::Inclusion;
using machine::Replacement;

/// '.' per hit and 'x' per miss of the letters at a cache of one set.
std::string misses(Replacement policy, std::uint64_t ways, std::string_view text, std::uint64_t seed = 1) {
  NaiveSimulator simulator(machine_of({with(fully_associative(ways), policy)}), {.classify = true, .seed = seed});
  std::string marks;
  std::uint64_t before = 0;
  for (const Access& access : letters(text)) {
    simulator.consume(access);
    const std::uint64_t now = simulator.outcome().levels[0].total().misses;
    marks += now == before ? '.' : 'x';
    before = now;
  }
  return marks;
}

MissClasses classes(Replacement policy, std::uint64_t ways, std::string_view text) {
  return simulate(machine_of({with(fully_associative(ways), policy)}), letters(text)).levels[0].reads.classes;
}

TEST(NaiveReplacement, LruKeepsWhatWasUsedLast) {
  EXPECT_EQ(misses(Replacement::lru, 2, "abaca"), "xx.x.");
  EXPECT_EQ(misses(Replacement::lru, 3, "abcabcdbca"), "xxx...x..x");
}

TEST(NaiveReplacement, FifoForgetsUses) {
  EXPECT_EQ(misses(Replacement::fifo, 2, "abaca"), "xx.xx");
  EXPECT_EQ(classes(Replacement::fifo, 2, "abaca"), (MissClasses{.cold = 3, .conflict = 1}));
  EXPECT_EQ(misses(Replacement::fifo, 3, "abcaadbca"), "xxx..x..x");
}

TEST(NaiveReplacement, FifoSuffersBeladysAnomaly) {
  EXPECT_EQ(misses(Replacement::fifo, 3, "abcdabeabcde"), "xxxxxxx..xx.");
  EXPECT_EQ(misses(Replacement::fifo, 4, "abcdabeabcde"), "xxxx..xxxxxx");
}

TEST(NaiveReplacement, TreePlruOfFourWays) {
  // After abcd all bits are 0; a makes root and left node point right, so e replaces c, b stays, c replaces d.
  EXPECT_EQ(misses(Replacement::plru, 4, "abcdaebcaed"), "xxxx.x.x..x");
  EXPECT_EQ(misses(Replacement::lru, 4, "abcdaebcaed"), "xxxx.xxx..x");
  EXPECT_EQ(classes(Replacement::plru, 4, "abcdaebcaed"), (MissClasses{.cold = 5, .capacity = 2}));
}

TEST(NaiveReplacement, TreePlruOfThreeWaysNeverChoosesTheMissingLeaf) {
  // d replaces a, e is sent right where only way 2 exists and replaces c, then c replaces e and e replaces c.
  EXPECT_EQ(misses(Replacement::plru, 3, "abcdebcde"), "xxxxx.x.x");
  EXPECT_EQ(misses(Replacement::lru, 3, "abcdebcde"), "xxxxxxxxx");
  EXPECT_EQ(classes(Replacement::plru, 3, "abcdebcde"), (MissClasses{.cold = 5, .capacity = 2}));
}

TEST(NaiveReplacement, TreePlruOfFiveWays) {
  // Way 4 (e) is the only leaf of the right half: f replaces a, then g, sent right, replaces e; then h, sent left
  // and there to the half that f did not use, replaces c.
  EXPECT_EQ(misses(Replacement::plru, 5, "abcdefghbdfghe"), "xxxxxxxx.....x");
}

TEST(NaiveReplacement, TreePlruOfOneWay) { EXPECT_EQ(misses(Replacement::plru, 1, "aabba"), "x.x.x"); }

TEST(NaiveReplacement, SrripPrefersWhatWasHit) {
  // Values of the two ways: a2 b2, a0, c ages to a1 b3 and replaces b, b ages to a2 c3 and replaces c, …
  EXPECT_EQ(misses(Replacement::srrip, 2, "abacbadb"), "xx.xx.xx");
  EXPECT_EQ(classes(Replacement::srrip, 2, "abacbadb"), (MissClasses{.cold = 4, .capacity = 2}));
}

TEST(NaiveReplacement, SrripAgeingStays) {
  // c leaves a1, d leaves a2, so e finds a3 d3 and replaces the lower way.
  EXPECT_EQ(misses(Replacement::srrip, 2, "abacded"), "xx.xxx.");
}

TEST(NaiveReplacement, RandomTakesTheWayThatTheGeneratorNames) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SplitMix64 generator = generator_for(seed, 1, 0);
    std::vector<char> ways{'a', 'b', 'c'};
    std::string expected = "xxx";
    const std::string_view rest = "deabcbdeaacb";
    for (char c : rest) {
      const bool held = std::ranges::find(ways, c) != ways.end();
      expected += held ? '.' : 'x';
      if (!held) ways[generator.next() % 3] = c;
    }
    EXPECT_EQ(misses(Replacement::random, 3, "abc" + std::string(rest), seed), expected) << "seed " << seed;
  }
}

TEST(NaiveReplacement, AFreeWayIsTakenBeforeAnyVictim) {
  // A line that the exclusive level hands over leaves its way free for the one that comes in return.
  const auto pair =
      machine_of({fully_associative(1), with(with(fully_associative(2), Replacement::random), Inclusion::exclusive)});
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    const auto out = simulate(pair, letters("abcabcabc"), {.classify = true, .seed = seed});
    EXPECT_EQ(out.levels[1].reads, tally(9, {.cold = 3})) << "seed " << seed;
  }
}

}  // namespace
}  // namespace cachescape::simulate
