// One histogram of greatest distances against a simulated write-back cache of every size.
#include "analyze/distance/write_epochs.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <vector>

#include "analyze/distance/write_epochs_naive.hpp"

namespace cachescape::analyze {
namespace {

struct Touch {
  std::uint64_t line = 0;
  bool writes = false;
};

using Counts = std::map<std::uint32_t, std::uint64_t>;

Counts greatest_distances(const std::vector<Touch>& touches) {
  StackDistances stack;
  WriteEpochs epochs;
  Counts counts;
  for (const Touch& t : touches) {
    const Line line{t.line};
    std::uint32_t distance = 0;
    stack.process(std::span(&line, 1), std::span(&distance, 1));
    if (const auto greatest = epochs.touch(line, distance, t.writes); greatest != WriteEpochs::no_epoch)
      ++counts[greatest];
  }
  epochs.for_each_open(stack.recency_order([](Line) { return true; }),
                       [&](std::uint32_t greatest) { ++counts[greatest]; });
  return counts;
}

std::uint64_t from(const Counts& counts, std::uint32_t least) {
  std::uint64_t n = 0;
  for (auto it = counts.lower_bound(least); it != counts.end(); ++it) n += it->second;
  return n;
}

std::uint64_t simulated(const std::vector<Touch>& touches, std::size_t lines) {
  NaiveWriteBackCache cache(lines);
  for (const Touch& t : touches) cache.touch(Line{t.line}, t.writes);
  return cache.write_backs();
}

std::vector<Touch> touches_of(const char* letters) {
  std::vector<Touch> touches;
  for (const char* c = letters; *c != '\0'; ++c) {
    const bool writes = *c >= 'A' && *c <= 'Z';
    touches.push_back({static_cast<std::uint64_t>(*c - (writes ? 'A' : 'a')) + 1, writes});
  }
  return touches;
}

TEST(WriteEpochs, WorksOutExamplesByHand) {
  // Capital letters write. A is written back by every cache that cannot hold b besides: at b already, whether or not
  // anybody touches a again.
  EXPECT_EQ(greatest_distances(touches_of("Ab")), (Counts{{1, 1}}));
  EXPECT_EQ(greatest_distances(touches_of("Aba")), (Counts{{1, 1}}));
  EXPECT_EQ(greatest_distances(touches_of("A")), (Counts{{0, 1}}));
  // Clean again in small caches after the first a, it is written back later by larger ones only: once in each.
  EXPECT_EQ(greatest_distances(touches_of("Abacbda")), (Counts{{3, 1}}));
  // Each write begins anew.
  EXPECT_EQ(greatest_distances(touches_of("AbAbcA")), (Counts{{0, 1}, {1, 1}, {2, 1}}));
  EXPECT_EQ(greatest_distances(touches_of("abab")), Counts{});
}

RC_GTEST_PROP(WriteEpochs, TellTheWriteBacksOfEverySize, ()) {
  // Lines near each other, far apart, and beyond what is shadowed.
  const auto touches = *rc::gen::container<std::vector<Touch>>(rc::gen::construct<Touch>(
      rc::gen::oneOf(rc::gen::inRange<std::uint64_t>(0, 12), rc::gen::element<std::uint64_t>(1u << 20, 1u << 30),
                     rc::gen::element(~std::uint64_t{0}, std::uint64_t{1} << 50)),
      rc::gen::weightedElement<bool>({{2, false}, {1, true}})));
  const Counts counts = greatest_distances(touches);
  std::uint64_t writes = 0;
  for (const Touch& t : touches) writes += t.writes ? 1 : 0;
  RC_ASSERT(from(counts, 0) == writes);
  for (std::uint32_t lines = 1; lines < 20; ++lines) RC_ASSERT(from(counts, lines) == simulated(touches, lines));
}

TEST(WriteEpochs, TellThemForManyLinesToo) {
  std::vector<Touch> touches;
  std::uint64_t x = 7;
  for (int i = 0; i < 60'000; ++i) {
    x = x * 6364136223846793005u + 1442695040888963407u;
    const std::uint64_t among = (x >> 60) < 12 ? 300 : 5000;
    // Scattered over more granules than the shadow may have for so few lines.
    touches.push_back({((x >> 33) % among) << 14, (x >> 20) % 3 == 0});
  }
  const Counts counts = greatest_distances(touches);
  for (const std::uint32_t lines : {1u, 2u, 64u, 300u, 1000u, 4000u, 6000u})
    EXPECT_EQ(from(counts, lines), simulated(touches, lines)) << lines;
  EXPECT_GT(from(counts, 1000), 1000u);
}

TEST(WriteEpochs, CopiesCarryOn) {
  const auto first = touches_of("AbBcCda");
  const auto second = touches_of("eAdcBb");
  StackDistances stack;
  WriteEpochs epochs;
  const auto feed = [&stack](WriteEpochs& to, const std::vector<Touch>& touches) {
    std::vector<std::uint32_t> ended;
    for (const Touch& t : touches) {
      const Line line{t.line};
      std::uint32_t distance = 0;
      stack.process(std::span(&line, 1), std::span(&distance, 1));
      ended.push_back(to.touch(line, distance, t.writes));
    }
    return ended;
  };
  feed(epochs, first);
  EXPECT_EQ(epochs.open(), 3u);
  WriteEpochs all = epochs.copy([](Line) { return true; }, 1);
  EXPECT_EQ(all.open(), 3u);
  const auto ended = feed(all, second);
  const std::uint32_t none = WriteEpochs::no_epoch;
  EXPECT_EQ(ended, (std::vector<std::uint32_t>{none, 3, none, none, 4, none}));
  // Line 1 alone, distances halved.
  const WriteEpochs one = epochs.copy([](Line line) { return line.value == 1; }, 2);
  EXPECT_EQ(one.open(), 1u);
  std::vector<std::uint32_t> open;
  const std::vector<Line> order{Line{1}};
  one.for_each_open(order, [&](std::uint32_t greatest) { open.push_back(greatest); });
  EXPECT_EQ(open, std::vector<std::uint32_t>{1});
}

}  // namespace
}  // namespace cachescape::analyze
