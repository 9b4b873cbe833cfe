#include "analyze/distance/set_distance.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "analyze/distance/set_distance_naive.hpp"

namespace cachescape::analyze {
namespace {

using Counts = std::vector<std::uint64_t>;
using Random = std::mt19937_64;

std::vector<Line> lines_of(std::initializer_list<std::uint64_t> numbers) {
  std::vector<Line> lines;
  for (const std::uint64_t n : numbers) lines.emplace_back(n);
  return lines;
}

std::uint64_t below(Random& random, std::uint64_t n) { return random() % n; }

// Ways to make lines, each hard in its own way for sets, tags or the front.
enum class Shape : std::uint8_t {
  uniform_small,
  uniform_large,
  power_of_two_stride,
  one_set,
  sweep,
  back_and_forth,
  zipf,
  short_loop,
  scattered,
  equal_low_halves,
  many_regions,
  top_of_space,
};
constexpr unsigned shapes = 12;

std::uint64_t shaped_line(Shape shape, std::uint64_t seed, std::uint64_t i, Random& random) {
  Random parameters(seed);
  const std::uint64_t a = parameters();
  const std::uint64_t b = parameters();
  switch (shape) {
    case Shape::uniform_small:
      return below(random, 2 + a % 60);
    case Shape::uniform_large:
      return below(random, 2 + a % 200000);
    case Shape::power_of_two_stride:
      return (below(random, 2 + a % 80)) << (b % 20);
    case Shape::one_set:
      return 5 + (below(random, 1 + a % 70) << 20);
    case Shape::sweep:
      return i % (1 + a % 500);
    case Shape::back_and_forth: {
      const std::uint64_t n = 2 + a % 100;
      const std::uint64_t at = i % (2 * n);
      return at < n ? at : 2 * n - 1 - at;
    }
    case Shape::zipf: {
      const double u = static_cast<double>(below(random, 1u << 30) + 1) / (1u << 30);
      return static_cast<std::uint64_t>(1.0 / u) * 0x9e3779b9u % (1u << 22);
    }
    case Shape::short_loop:
      return (i % (1 + a % 10)) * (1 + b % 5000) + (below(random, 40) == 0 ? below(random, 64) : 0);
    case Shape::scattered:
      return below(random, 1 + a % 100) * 0xd1342543de82ef95u;
    case Shape::equal_low_halves:
      return (a & 0xffffffffu) | below(random, 40) << 32;
    case Shape::many_regions:
      return below(random, 1 + a % 3000) << 16 | below(random, 4);
    case Shape::top_of_space:
      return ~std::uint64_t{0} - below(random, 1 + a % 50) * (1 + b % 3);
  }
  return 0;
}

struct Stream {
  std::vector<Line> lines;
  std::vector<std::uint16_t> groups;
  std::vector<std::uint32_t> weights;
};

// A few phases of different shapes, with repeats.
Stream random_stream(std::uint64_t seed, std::size_t length, std::size_t groups) {
  Random random(seed);
  Stream stream;
  while (stream.lines.size() < length) {
    const auto shape = static_cast<Shape>(below(random, shapes));
    const std::uint64_t parameters = random();
    const std::size_t phase = 1 + below(random, length);
    const std::uint64_t repeats = below(random, 3);
    for (std::uint64_t i = 0; i < phase && stream.lines.size() < length; ++i) {
      const std::uint64_t line = shaped_line(shape, parameters, i, random);
      for (std::uint64_t r = 0; r <= below(random, repeats + 1); ++r) stream.lines.emplace_back(line);
    }
  }
  for (std::size_t i = 0; i < stream.lines.size(); ++i) {
    stream.groups.push_back(static_cast<std::uint16_t>(below(random, groups)));
    stream.weights.push_back(below(random, 8) == 0 ? static_cast<std::uint32_t>(random())
                                                   : static_cast<std::uint32_t>(below(random, 4)));
  }
  return stream;
}

std::vector<std::uint64_t> all_set_counts(const SetGrid& grid) {
  std::vector<std::uint64_t> counts = grid.other_set_counts;
  for (unsigned k = grid.min_log2_sets; k <= grid.max_log2_sets; ++k) counts.push_back(std::uint64_t{1} << k);
  return counts;
}

template <class Engine>
void process_in_pieces(Engine& engine, const Stream& stream, bool grouped, bool weighted, Random& random) {
  const std::span<const Line> lines(stream.lines);
  const std::span<const std::uint16_t> groups(stream.groups);
  const std::span<const std::uint32_t> weights(stream.weights);
  for (std::size_t at = 0; at < lines.size();) {
    const std::size_t n = std::min(lines.size() - at, below(random, below(random, 2) == 0 ? 20 : 3000));
    engine.process(lines.subspan(at, n), grouped ? groups.subspan(at, n) : std::span<const std::uint16_t>{},
                   weighted ? weights.subspan(at, n) : std::span<const std::uint32_t>{});
    at += n;
  }
}

const auto instruction_sets = testing::Values(InstructionSet::portable, InstructionSet::avx2, InstructionSet::avx512);

std::string name_of(InstructionSet path) {
  return path == InstructionSet::portable ? "portable" : path == InstructionSet::avx2 ? "avx2" : "avx512";
}

class OnPath : public testing::TestWithParam<InstructionSet> {};
INSTANTIATE_TEST_SUITE_P(Set, OnPath, instruction_sets, [](const auto& info) { return name_of(info.param); });

TEST_P(OnPath, CountsTheWorkedExamples) {
  // a b a c b d d a: D = cold cold 1 cold 2 cold 0 3.
  SetDistances one_set({.min_log2_sets = 0, .max_log2_sets = 0, .ways = 4}, 1, GetParam());
  one_set.process(lines_of({1, 2, 1, 3, 2, 4, 4, 1}));
  EXPECT_EQ(one_set.histogram(1), (Counts{1, 1, 1, 1, 4}));

  // Request 1001 behind 0001 and 0101: D for 1, 2, 4, 8, 16 sets is 2, 2, 2, 1, 0.
  SetDistances matches({.min_log2_sets = 0, .max_log2_sets = 4, .ways = 4}, 1, GetParam());
  matches.process(lines_of({9, 5, 1, 9}));
  EXPECT_EQ(matches.histogram(1), (Counts{0, 0, 1, 0, 3}));
  EXPECT_EQ(matches.histogram(2), (Counts{0, 0, 1, 0, 3}));
  EXPECT_EQ(matches.histogram(4), (Counts{0, 0, 1, 0, 3}));
  EXPECT_EQ(matches.histogram(8), (Counts{0, 1, 0, 0, 3}));
  EXPECT_EQ(matches.histogram(16), (Counts{1, 0, 0, 0, 3}));
}

TEST_P(OnPath, AWeightCountsATouchThatHappensOnce) {
  SetDistances engine({.min_log2_sets = 0, .max_log2_sets = 0, .ways = 2, .other_set_counts = {3}}, 2, GetParam());
  const std::vector<std::uint16_t> groups{0, 0, 1, 1};
  const std::vector<std::uint32_t> weights{1, 0, 7, 4000000000u};
  engine.process(lines_of({6, 9, 6, 6}), groups, weights);
  for (const std::uint64_t sets : {1, 3}) {
    EXPECT_EQ(engine.histogram(sets, 0), (Counts{0, 0, 1})) << sets;
    EXPECT_EQ(engine.histogram(sets, 1), (Counts{4000000000u, 7, 0})) << sets;
  }
  EXPECT_EQ(engine.touches(0), 1u);
  EXPECT_EQ(engine.touches(1), 4000000007u);
}

TEST_P(OnPath, KnowsOnlyTheSetCountsOfItsGrid) {
  SetDistances engine({.min_log2_sets = 2, .max_log2_sets = 5, .ways = 3, .other_set_counts = {1, 12}}, 1, GetParam());
  for (const std::uint64_t sets : {1, 4, 8, 12, 16, 32}) EXPECT_EQ(engine.histogram(sets), Counts(4)) << sets;
  for (const std::uint64_t sets : {0, 2, 3, 64}) EXPECT_EQ(engine.histogram(sets), Counts{}) << sets;
}

TEST_P(OnPath, LineNumbersAreComparedInFull) {
  // The last line of the space shares its low bits with others, and its complement is zero.
  const std::uint64_t top = ~std::uint64_t{0};
  SetDistances engine({.min_log2_sets = 0, .max_log2_sets = 16, .ways = 16, .other_set_counts = {3}}, 1, GetParam());
  engine.process(lines_of({top, 0xffffffffu, top, 0xffff, top, 1, top}));
  EXPECT_EQ(engine.histogram(1)[1], 3u);
  EXPECT_EQ(engine.histogram(1)[16], 4u);
  EXPECT_EQ(engine.histogram(65536)[1], 2u);
  EXPECT_EQ(engine.histogram(65536)[0], 1u);
  EXPECT_EQ(engine.histogram(3)[16], 4u);
}

// More regions than 16-bit tags, then than 32-bit tags can tell apart, with state carried across each change.
TEST_P(OnPath, ChangesOfRepresentationKeepTheState) {
  const SetGrid grid{.min_log2_sets = 0, .max_log2_sets = 16, .ways = 16, .other_set_counts = {1000}};
  SetDistances engine(grid, 1, GetParam());
  NaiveSetDistances naive(all_set_counts(grid), grid.ways);
  Random random(7);
  std::vector<Line> lines;
  std::uint64_t region = 0;
  for (const std::size_t regions : {20u, 40u, 300u, 3000u, 66000u}) {
    while (region < regions) {
      // Neighbours in the sets of many levels, revisited at once and after a while.
      const std::uint64_t next = (region++ * 0x9e3779b97f4a7c15u) >> 16 << 16;
      lines.emplace_back(next + 65535 - region % 3000);
      if (region % 7 == 0 && lines.size() > 50) lines.push_back(lines[lines.size() - 1 - below(random, 40)]);
    }
  }
  engine.process(lines);
  naive.process(lines);
  for (const std::uint64_t sets : {1, 2, 16, 32, 64, 1000, 4096, 16384, 65536}) {
    EXPECT_EQ(engine.histogram(sets), naive.histogram(sets)) << sets;
  }
}

class AgainstNaive : public testing::TestWithParam<std::tuple<unsigned, InstructionSet>> {};
INSTANTIATE_TEST_SUITE_P(Set, AgainstNaive, testing::Combine(testing::Values(1u, 2u, 8u, 16u, 32u), instruction_sets),
                         [](const auto& info) {
                           return std::to_string(std::get<0>(info.param)) + "_" + name_of(std::get<1>(info.param));
                         });

TEST_P(AgainstNaive, EveryNumberIsEqual) {
  const auto [ways, path] = GetParam();
  const bool holds = rc::check([ways = ways, path = path] {
    SetGrid grid{.ways = ways};
    grid.min_log2_sets = *rc::gen::inRange(0u, 4u);
    grid.max_log2_sets = *rc::gen::weightedElement<unsigned>(
        {{6, 16}, {1, *rc::gen::inRange(grid.min_log2_sets, 17u)}, {1, *rc::gen::inRange(17u, 21u)}});
    grid.other_set_counts =
        *rc::gen::elementOf(std::vector<std::vector<std::uint64_t>>{{}, {3}, {358, 1536}, {7, 1, 4096, 12345}});
    RC_ASSERT(check(grid).has_value());
    const std::size_t groups = *rc::gen::inRange<std::size_t>(1, 5);
    const std::size_t length = *rc::gen::element<std::size_t>(50, 500, 3000, 6000);
    const auto seed = *rc::gen::arbitrary<std::uint64_t>();
    const bool grouped = *rc::gen::weightedElement<bool>({{3, true}, {1, false}});
    const bool weighted = *rc::gen::arbitrary<bool>();
    const Stream stream = random_stream(seed, length, groups);
    Random random(seed ^ 1);
    SetDistances engine(grid, groups, path);
    process_in_pieces(engine, stream, grouped, weighted, random);
    NaiveSetDistances naive(all_set_counts(grid), ways);
    process_in_pieces(naive, stream, grouped, weighted, random);
    for (const std::uint64_t sets : all_set_counts(grid)) {
      for (std::uint16_t group = 0; group < groups; ++group) {
        RC_ASSERT(engine.histogram(sets, group) == naive.histogram(sets, group));
      }
    }
  });
  EXPECT_TRUE(holds);
}

TEST(InstructionSets, AgreeOnLongStreams) {
  for (const InstructionSet path : {InstructionSet::avx2, InstructionSet::avx512}) {
    for (const unsigned ways : {16u, 32u}) {
      const SetGrid grid{.ways = ways, .other_set_counts = {100}};
      SetDistances portable(grid, 3, InstructionSet::portable);
      SetDistances fast(grid, 3, path);
      for (const std::uint64_t seed : {1, 2, 3, 4}) {
        const Stream stream = random_stream(seed, 100000, 3);
        portable.process(stream.lines, stream.groups, stream.weights);
        fast.process(stream.lines, stream.groups, stream.weights);
      }
      for (const std::uint64_t sets : all_set_counts(grid)) {
        for (std::uint16_t group = 0; group < 3; ++group) {
          EXPECT_EQ(portable.histogram(sets, group), fast.histogram(sets, group)) << name_of(path) << " " << sets;
        }
      }
    }
  }
}

TEST(InstructionSets, MoreWaysRefineFewer) {
  const Stream stream = random_stream(5, 20000, 1);
  SetDistances few({.ways = 8}, 1);
  SetDistances many({.ways = 32}, 1);
  few.process(stream.lines);
  many.process(stream.lines);
  for (const std::uint64_t sets : all_set_counts(few.grid())) {
    Counts folded = many.histogram(sets);
    folded[8] = few.touches();
    for (unsigned d = 0; d < 8; ++d) folded[8] -= folded[d];
    folded.resize(9);
    EXPECT_EQ(few.histogram(sets), folded) << sets;
  }
}

TEST(SetGridCheck, NamesTheOffendingValue) {
  EXPECT_TRUE(check(SetGrid{}).has_value());
  EXPECT_TRUE(check(SetGrid{.max_log2_sets = 20, .ways = 32, .other_set_counts = {358, 1536}}).has_value());
  EXPECT_EQ(check(SetGrid{.max_log2_sets = 21}).error().what, "the largest set count is 2^21, expected at most 2^20");
  EXPECT_EQ(check(SetGrid{.min_log2_sets = 4, .max_log2_sets = 3}).error().what,
            "the smallest set count 2^4 is above the largest, 2^3");
  EXPECT_EQ(check(SetGrid{.ways = 0}).error().what, "the number of ways is 0, expected 1 to 32");
  EXPECT_EQ(check(SetGrid{.ways = 33}).error().what, "the number of ways is 33, expected 1 to 32");
  EXPECT_EQ(check(SetGrid{.other_set_counts = {0}}).error().what,
            "the set count 0 was asked for, expected 1 to 4194304");
}

TEST(SetMemory, GrowsOnlyWithTheTagsInUse) {
  SetDistances engine({.ways = 16}, 1);
  const std::uint64_t at_first = engine.memory_bytes();
  EXPECT_GT(at_first, std::uint64_t{4} << 20);
  EXPECT_LT(at_first, std::uint64_t{7} << 20);
  std::vector<Line> near;
  for (std::uint64_t i = 0; i < 100000; ++i) near.emplace_back(i);
  engine.process(near);
  EXPECT_LT(engine.memory_bytes(), at_first + 1000);
  std::vector<Line> far;
  for (std::uint64_t i = 0; i < 70000; ++i) far.emplace_back(i << 40);
  engine.process(far);
  EXPECT_GT(engine.memory_bytes(), std::uint64_t{16} << 20);
}

}  // namespace
}  // namespace cachescape::analyze
