#include "analyze/distance/stack_distances.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "analyze/distance/inversion_count.hpp"
#include "analyze/distance/mattson_list.hpp"
#include "analyze/distance/stack_state.hpp"

namespace cachescape::analyze {
namespace {

using Path = StackDistances::Path;
using Options = StackDistances::Options;

constexpr std::uint32_t cold = cold_distance;

std::vector<Line> lines_of(const std::vector<std::uint64_t>& numbers) {
  std::vector<Line> lines;
  lines.reserve(numbers.size());
  for (const std::uint64_t n : numbers) lines.emplace_back(n);
  return lines;
}

std::vector<std::uint32_t> by_list(const std::vector<Line>& lines) {
  std::vector<std::uint32_t> distances(lines.size());
  MattsonList().process(lines, distances);
  return distances;
}

// Feeds the stream in pieces whose lengths `piece` gives.
std::vector<std::uint32_t> by_engine(StackDistances& engine, const std::vector<Line>& lines,
                                     const std::function<std::size_t()>& piece) {
  std::vector<std::uint32_t> distances(lines.size(), 12345678);
  for (std::size_t i = 0; i < lines.size();) {
    const std::size_t n = std::min(piece(), lines.size() - i);
    engine.process(std::span(lines).subspan(i, n), std::span(distances).subspan(i, n));
    i += n;
  }
  return distances;
}

std::size_t whole() { return ~std::size_t{0}; }

std::function<std::size_t()> random_pieces(std::uint64_t seed, std::size_t longest) {
  return [random = std::mt19937_64(seed), longest]() mutable { return random() % (longest + 1); };
}

// EXPECT_EQ on long vectors prints them whole; the first difference says more.
void expect_same(const std::vector<std::uint32_t>& got, const std::vector<std::uint32_t>& want,
                 const std::string& what) {
  ASSERT_EQ(got.size(), want.size()) << what;
  const auto [g, w] = std::mismatch(got.begin(), got.end(), want.begin());
  if (g != got.end()) ADD_FAILURE() << what << ": touch " << g - got.begin() << " is " << *g << ", expected " << *w;
}

void expect_all_agree(const std::vector<Line>& lines, const std::vector<std::uint32_t>& want, std::uint64_t seed) {
  const auto first_touches = static_cast<std::uint64_t>(std::count(want.begin(), want.end(), cold));
  for (const Path path : {Path::portable, Path::avx2}) {
    for (const std::uint64_t window : {256, 1024, 1 << 19}) {
      // Slack 0 sends lines to the hash table at once, the small one brings the transition, the large one avoids it.
      for (const std::size_t slack : {0, 100 << 10, 16 << 20}) {
        for (const std::size_t longest : {std::size_t{0}, std::size_t{3}, std::size_t{200}}) {
          StackDistances engine(Options{.path = path, .window_touches = window, .shadow_slack_bytes = slack});
          const auto got = by_engine(engine, lines,
                                     longest == 0 ? std::function<std::size_t()>(whole) : random_pieces(seed, longest));
          expect_same(got, want,
                      std::string(path == Path::portable ? "portable" : "avx2") + ", window " + std::to_string(window) +
                          ", slack " + std::to_string(slack) + ", pieces up to " + std::to_string(longest));
          EXPECT_EQ(engine.distinct_lines(), first_touches);
          EXPECT_EQ(engine.untracked_touches(), 0);
          if (testing::Test::HasFailure()) return;
        }
      }
    }
  }
}

StackAdvance advance_where_avx2() {
  return StackDistances(Options{.path = Path::avx2}).path() == Path::avx2 ? advance_avx2 : advance_portable;
}

struct NamedStream {
  std::string name;
  std::vector<std::uint64_t> lines;
};

// Adversaries, each long enough to cross several renumberings of the small windows.
std::vector<NamedStream> adversaries() {
  std::vector<NamedStream> all;
  const auto make = [&all](std::string name, std::size_t n, const std::function<std::uint64_t(std::uint64_t)>& at) {
    NamedStream stream{std::move(name), {}};
    for (std::uint64_t i = 0; i < n; ++i) stream.lines.push_back(at(i));
    all.push_back(std::move(stream));
  };
  make("one line", 5000, [](std::uint64_t) { return 7; });
  make("two lines alternating", 5000, [](std::uint64_t i) { return i % 2; });
  for (const std::uint64_t n : {3, 4, 5, 6, 63, 64, 65, 67, 68, 69, 127, 128, 129, 192, 255, 256, 257, 1000})
    make("cycle of " + std::to_string(n), 6000, [n](std::uint64_t i) { return i % n; });
  make("sweep, eight touches a line", 40000, [](std::uint64_t i) { return i / 8 % 700; });
  make("reversed sweeps", 20000, [](std::uint64_t i) { return 3000 - i % 3000; });
  make("saw-tooth", 20000, [](std::uint64_t i) { return i % 2000 < 1000 ? i % 1000 : 999 - i % 1000; });
  make("stride of 64", 20000, [](std::uint64_t i) { return i * 64 % (1 << 16); });
  make("stride of a granule", 20000, [](std::uint64_t i) { return i * 1024 % (1500 << 10); });
  make("stride of a region", 8000, [](std::uint64_t i) { return (i % 700) << 24; });
  make("only new lines", 20000, [](std::uint64_t i) { return i; });
  make("nested loops", 30000, [](std::uint64_t i) { return i % 10 + i / 300 % 50 * 10; });
  make("three arrays", 30000, [](std::uint64_t i) { return i % 3 * 100000 + i / 3 % (500 + 100 * (i % 3)); });
  make("both ends", 4000, [](std::uint64_t i) { return i % 3 == 0 ? i % 200 : ~std::uint64_t{0} - i % 170; });
  make("edge of the shadow", 4000, [](std::uint64_t i) { return (std::uint64_t{1} << 48) - 100 + i * 7 % 200; });
  std::mt19937_64 random(42);
  make("random", 30000, [&](std::uint64_t) { return random() % 3000; });
  make("scattered over 64 bits", 30000, [&](std::uint64_t) { return random() % 3000 * 0x9e3779b97f4a7c15u; });
  make("scattered over 47 bits", 30000, [&](std::uint64_t) { return (random() % 3000 * 0x9e3779b97f4a7c15u) >> 17; });
  make("scattered, then dense", 30000,
       [&](std::uint64_t i) { return i < 15000 ? (random() % 2000 * 0x9e3779b97f4a7c15u) >> 17 : random() % 4000; });
  make("ever wider", 40000, [&](std::uint64_t i) { return random() % (i / 4 + 1); });
  make("Zipf", 40000, [&](std::uint64_t) {
    const double u = std::uniform_real_distribution<>(0, 1)(random);
    return static_cast<std::uint64_t>(std::pow(5000.0, u));
  });
  return all;
}

TEST(StackDistances, WorkedExampleOfEightTouches) {
  const auto lines = lines_of({'a', 'b', 'a', 'c', 'b', 'd', 'd', 'a'});
  const std::vector<std::uint32_t> want = {cold, cold, 1, cold, 2, cold, 0, 3};
  EXPECT_EQ(by_list(lines), want);
  EXPECT_EQ(distances_by_inversions(lines), want);
  StackDistances engine;
  EXPECT_EQ(by_engine(engine, lines, whole), want);
  EXPECT_EQ(engine.distinct_lines(), 4);
}

TEST(StackDistances, WorkedExampleOfTwoCores) {
  const auto shared = lines_of({'a', 'c', 'b', 'a', 'e', 'd', 'b', 'd', 'a', 'b'});
  StackDistances engine;
  EXPECT_EQ(by_engine(engine, shared, whole),
            (std::vector<std::uint32_t>{cold, cold, cold, 2, cold, cold, 3, 1, 3, 2}));
}

TEST(StackDistances, NothingTouched) {
  StackDistances engine;
  engine.process({}, {});
  EXPECT_EQ(engine.distinct_lines(), 0);
}

class Adversary : public testing::TestWithParam<NamedStream> {};

TEST_P(Adversary, AllEnginesAgree) {
  const auto lines = lines_of(GetParam().lines);
  const auto want = distances_by_inversions(lines);
  expect_same(by_list(lines), want, "list");
  expect_all_agree(lines, want, 1);
}

INSTANTIATE_TEST_SUITE_P(StackDistances, Adversary, testing::ValuesIn(adversaries()), [](const auto& info) {
  std::string name = info.param.name;
  std::erase_if(name, [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); });
  return name;
});

TEST(StackDistances, SweepsHaveTheFootprintAsDistance) {
  StackDistances engine;
  constexpr std::size_t n = 1'000'000;
  std::vector<Line> lines;
  for (std::size_t i = 0; i < 3 * n; ++i) lines.emplace_back(0x7f0000000000 / 64 + i % n);
  const auto got = by_engine(engine, lines, [] { return std::size_t{4096}; });
  std::vector<std::uint32_t> want(3 * n, n - 1);
  std::fill(want.begin(), want.begin() + n, cold);
  expect_same(got, want, "sweep");
  EXPECT_EQ(engine.distinct_lines(), n);
}

// Long enough for windows of several blocks, which the short streams never fill.
TEST(StackDistances, LongRandomStreamAgreesWithInversions) {
  std::mt19937_64 random(7);
  std::vector<Line> lines;
  for (int i = 0; i < 3'000'000; ++i) lines.emplace_back(random() % (i % 5 == 0 ? 400'000 : 20'000));
  const auto want = distances_by_inversions(lines);
  for (const Path path : {Path::portable, Path::avx2}) {
    for (const std::uint64_t window : {std::uint64_t{256}, std::uint64_t{9 << 19}, std::uint64_t{1} << 23}) {
      StackDistances engine(Options{.path = path, .window_touches = window});
      expect_same(by_engine(engine, lines, random_pieces(3, 10000)), want,
                  std::to_string(static_cast<int>(path)) + " " + std::to_string(window));
    }
  }
}

TEST(StackDistances, AnyStreamInAnyPieces) {
  const bool holds = rc::check("all engines agree", [] {
    const auto spread = *rc::gen::element<std::uint64_t>(1, 1, 1, 64, 1024, 1 << 24, 0x9e3779b97f4a7c15u);
    const auto base = *rc::gen::element<std::uint64_t>(0, 1000, std::uint64_t{1} << 47, (std::uint64_t{1} << 48) - 9);
    const auto range = *rc::gen::inRange<std::uint64_t>(1, 600);
    const auto seed = *rc::gen::arbitrary<std::uint64_t>();
    const auto length = *rc::gen::inRange<std::size_t>(0, 3000);
    std::mt19937_64 random(seed);
    std::vector<Line> lines;
    while (lines.size() < length) {
      // Runs of random, ascending, descending and repeated lines.
      const std::uint64_t kind = random() % 4;
      const std::uint64_t from = random() % range;
      const std::uint64_t run = random() % 100;
      for (std::uint64_t i = 0; i < run; ++i) {
        const std::uint64_t n = kind == 0 ? random() % range : kind == 1 ? from + i : kind == 2 ? from - i : from;
        lines.emplace_back(base + n * spread);
      }
    }
    const auto want = by_list(lines);
    RC_ASSERT(distances_by_inversions(lines) == want);
    for (const Path path : {Path::portable, Path::avx2}) {
      StackDistances engine(Options{.path = path,
                                    .window_touches = *rc::gen::element<std::uint64_t>(0, 256, 640, 4096),
                                    .shadow_slack_bytes = *rc::gen::element<std::size_t>(0, 20000, 1 << 20)});
      RC_ASSERT(by_engine(engine, lines, random_pieces(seed, *rc::gen::inRange<std::size_t>(1, 300))) == want);
    }
  });
  EXPECT_TRUE(holds);
}

TEST(StackDistances, LinesPastTheLimitAreColdAndUncounted) {
  for (const Path path : {Path::portable, Path::avx2}) {
    for (const std::uint64_t limit : {1, 3, 4, 5, 100, 500}) {
      std::mt19937_64 random(limit);
      std::vector<Line> lines;
      for (int i = 0; i < 20000; ++i) lines.emplace_back(random() % 700 * (random() % 2 == 0 ? 1 : 1000003));
      // What should happen: the touches of lines that came too late, left out.
      std::vector<Line> first_lines;
      std::vector<Line> kept;
      std::vector<std::size_t> kept_at;
      for (std::size_t i = 0; i < lines.size(); ++i) {
        bool followed = std::find(first_lines.begin(), first_lines.end(), lines[i]) != first_lines.end();
        if (!followed && first_lines.size() < limit) {
          first_lines.push_back(lines[i]);
          followed = true;
        }
        if (!followed) continue;
        kept.push_back(lines[i]);
        kept_at.push_back(i);
      }
      std::vector<std::uint32_t> want(lines.size(), cold);
      const auto distances = by_list(kept);
      for (std::size_t k = 0; k < kept.size(); ++k) want[kept_at[k]] = distances[k];

      StackDistances engine(
          Options{.path = path, .window_touches = 256, .shadow_slack_bytes = 50000, .most_lines = limit});
      expect_same(by_engine(engine, lines, random_pieces(limit, 300)), want, "limit " + std::to_string(limit));
      EXPECT_EQ(engine.distinct_lines(), limit);
      EXPECT_EQ(engine.untracked_touches(), lines.size() - kept.size());
    }
  }
}

// Times are compared as signed numbers where only those can be compared at once.
TEST(StackDistances, TimesBeyondTheSignBit) {
  for (const StackAdvance advance : {advance_portable, advance_where_avx2()}) {
    StackState state(StackWindow::most_touches, 16 << 20);
    for (unsigned i = 0; i < StackFront::lines; ++i) {
      state.front.line[i] = 1'000'000 + i;
      state.front.time[i] = state.last.find(1'000'000 + i);
    }
    state.front.filled = StackFront::lines;
    state.now = (std::uint64_t{1} << 31) - 6400;
    std::mt19937_64 random(5);
    std::vector<Line> lines;
    for (int i = 0; i < 20000; ++i) lines.emplace_back(i % 1000 < 500 ? random() % 3000 : i % 1000);
    std::vector<std::uint32_t> got(lines.size());
    advance(state, lines.data(), lines.size(), got.data());
    EXPECT_EQ(state.now >> 31, 1);
    expect_same(got, by_list(lines), "across 2^31");
  }
}

TEST(StackDistances, AutomaticPathIsTheFastest) {
  const Path fastest = __builtin_cpu_supports("avx2") ? Path::avx2 : Path::portable;
  EXPECT_EQ(StackDistances().path(), fastest);
  EXPECT_EQ(StackDistances(Options{.path = Path::portable}).path(), Path::portable);
}

TEST(StackDistances, MovesWithItsState) {
  StackDistances first;
  std::uint32_t distance = 0;
  const Line line{5};
  first.process({&line, 1}, {&distance, 1});
  StackDistances second = std::move(first);
  second.process({&line, 1}, {&distance, 1});
  EXPECT_EQ(distance, 0);
}

TEST(StackDistances, MemoryIsBoundedByTheFootprint) {
  const auto bytes_per_line = [](std::uint64_t lines, const std::function<std::uint64_t(std::uint64_t)>& number) {
    StackDistances engine;
    const std::uint64_t before = engine.memory_bytes();
    std::vector<Line> touched;
    for (std::uint64_t round = 0; round < 12; ++round)
      for (std::uint64_t i = 0; i < lines; ++i) touched.emplace_back(number(i));
    std::vector<std::uint32_t> distances(touched.size());
    engine.process(touched, distances);
    EXPECT_EQ(engine.distinct_lines(), lines);
    return static_cast<double>(engine.memory_bytes() - before) / static_cast<double>(lines);
  };
  constexpr std::uint64_t lines = 1 << 20;
  constexpr double slack = static_cast<double>(32 << 20) / lines;
  EXPECT_LT(bytes_per_line(lines, [](std::uint64_t i) { return i; }), 6.5);
  EXPECT_LT(bytes_per_line(lines, [](std::uint64_t i) { return i * 64; }), 66 + slack);
  EXPECT_LT(bytes_per_line(lines, [](std::uint64_t i) { return i * 0x9e3779b97f4a7c15u; }), 66 + slack);
  EXPECT_LT(bytes_per_line(lines, [](std::uint64_t i) { return (i * 0x9e3779b97f4a7c15u) >> 17; }), 66 + slack);
}

}  // namespace
}  // namespace cachescape::analyze
