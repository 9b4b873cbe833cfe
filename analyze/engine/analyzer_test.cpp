// The analysis as a whole against naive twins: every number of the profile.
#include "cachescape/analyzer.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>

#include "analyze/engine/naive_analysis.hpp"

namespace cachescape {
namespace {

using analyze::analyse;
using analyze::naive;
using analyze::Naive;
using analyze::one_line_size;
using analyze::small_options;

rc::Gen<Access> an_access(std::uint32_t threads) {
  const auto address = rc::gen::oneOf(rc::gen::inRange<std::uint64_t>(0x1000, 0x1800),
                                      rc::gen::inRange<std::uint64_t>(0x7f0000000000, 0x7f0000000100),
                                      rc::gen::element(~std::uint64_t{0}, std::uint64_t{0}));
  return rc::gen::construct<Access>(
      rc::gen::construct<Address>(address), rc::gen::element<std::uint32_t>(0, 1, 4, 8, 60, 200),
      rc::gen::element(AccessKind::read, AccessKind::write, AccessKind::modify),
      rc::gen::construct<ThreadId>(
          rc::gen::map(rc::gen::inRange<std::uint32_t>(0, threads), [](std::uint32_t t) { return t * 7; })),
      rc::gen::just(SiteId{}));
}

RC_GTEST_PROP(Analyzer, EqualsTheNaiveTwins, ()) {
  AnalysisOptions options = small_options();
  options.workers = *rc::gen::element(1u, 2u, 3u, 8u);
  const auto accesses = *rc::gen::container<std::vector<Access>>(an_access(*rc::gen::inRange(1u, 4u)));
  const Profile profile = analyse(options, accesses, *rc::gen::inRange<std::size_t>(1, 40));

  std::vector<StackProfile> stacks;
  std::vector<SetProfile> sets;
  const auto add = [&](Scope scope, const std::vector<Access>& part) {
    for (const LineSize line : options.lines) {
      Naive n = naive(part, line, scope, options);
      stacks.push_back(std::move(n.stack));
      if (line != LineSize{2}) sets.push_back(std::move(n.sets));
    }
  };
  add({}, accesses);
  std::map<ThreadId, std::vector<Access>> by_thread;
  for (const Access& a : accesses) by_thread[a.thread].push_back(a);
  if (by_thread.size() > 1) {
    for (const auto& [thread, part] : by_thread) add({Scope::Kind::thread, thread}, part);
  }
  RC_ASSERT(profile.stacks == stacks);
  RC_ASSERT(profile.sets == sets);
  RC_ASSERT(profile.threads.size() == by_thread.size());
  for (const ThreadCounts& t : profile.threads) {
    RC_ASSERT(t.accesses[0] + t.accesses[1] + t.accesses[2] == by_thread[t.thread].size());
  }
}

StridedRun a_run() {
  StridedRun run;
  run.trips = *rc::gen::inRange<std::uint64_t>(0, 60);
  const auto streams = *rc::gen::inRange(0, 4);
  for (int i = 0; i < streams; ++i) {
    StridedAccess a;
    a.base = Address{*rc::gen::oneOf(rc::gen::inRange<std::uint64_t>(0x1000, 0x1100),
                                     rc::gen::just(~std::uint64_t{0} - 20), rc::gen::just(std::uint64_t{30}))};
    a.step = *rc::gen::element<std::int64_t>(0, 1, 4, 8, -8, 12, -3, 64, 100, -200, 4096);
    a.size = *rc::gen::element<std::uint32_t>(0, 1, 8, 16, 70);
    a.kind = *rc::gen::element(AccessKind::read, AccessKind::write, AccessKind::modify);
    run.body.push_back(a);
  }
  return run;
}

RC_GTEST_PROP(Analyzer, StridedRunsEqualTheirExpansion, ()) {
  const AnalysisOptions options = small_options();
  auto by_runs = Analyzer::create(options);
  std::vector<Access> expanded;
  const auto pieces = *rc::gen::inRange(1, 5);
  for (int p = 0; p < pieces; ++p) {
    const ThreadId thread{*rc::gen::inRange(0u, 2u)};
    StridedRun run = a_run();
    run.thread = thread;
    by_runs->consume(run);
    for (std::uint64_t i = 0; i < run.trips; ++i) {
      for (const StridedAccess& a : run.body) expanded.push_back({a.at(i), a.size, a.kind, thread, a.site});
    }
  }
  const Profile expected = analyse(options, expanded, 1000);
  const Profile actual = by_runs->profile();
  RC_ASSERT(actual.stacks == expected.stacks);
  RC_ASSERT(actual.sets == expected.sets);
  RC_ASSERT(actual.threads == expected.threads);
  RC_ASSERT(actual.bytes == expected.bytes);
}

/// Loops among accesses near and far, some of which touch two lines.
Profile of_many_pieces(AnalysisOptions options, unsigned workers) {
  options.workers = workers;
  options.places = true;
  auto analyzer = Analyzer::create(options);
  std::uint64_t x = 1;
  for (std::uint64_t round = 0; round < 40; ++round) {
    AccessBatch batch;
    for (std::uint64_t i = 0; i < 4000; ++i) {
      x = x * 6364136223846793005u + 1442695040888963407u;
      const std::uint64_t lines = (x >> 60) < 8 ? 6 : 3000;
      const std::uint64_t address = (x >> 33) % (lines * 64);
      batch.push({Address{address}, 8, (x >> 58) % 4 == 0 ? AccessKind::write : AccessKind::read, ThreadId{0},
                  SiteId{1 + (x >> 50) % 5}});
    }
    analyzer->consume(batch);
    StridedRun run;
    run.trips = 100 + 50 * (round % 7);
    for (std::uint64_t array = 0; array < 3; ++array) {
      run.body.push_back({Address{array * 40000 + round * 64}, 8, 8, array == 2 ? AccessKind::write : AccessKind::read,
                          SiteId{6 + array * (round % 2)}});
    }
    analyzer->consume(run);
  }
  return analyzer->profile();
}

TEST(Analyzer, LanesChangeNothing) {
  AnalysisOptions several = one_line_size();
  several.lines = {LineSize{5}, LineSize{6}};
  several.set_lines = {LineSize{6}};
  for (const AnalysisOptions& options : {one_line_size(), several}) {
    const Profile expected = of_many_pieces(options, 1);
    for (const unsigned workers : {2u, 3u, 6u}) {
      const Profile actual = of_many_pieces(options, workers);
      EXPECT_EQ(actual.stacks, expected.stacks) << workers;
      EXPECT_EQ(actual.sets, expected.sets) << workers;
      EXPECT_EQ(actual.places.site_distances, expected.places.site_distances) << workers;
    }
  }
}

std::vector<Access> random_lines(std::size_t count, std::uint64_t lines) {
  std::vector<Access> accesses;
  std::uint64_t x = 1;
  for (std::size_t i = 0; i < count; ++i) {
    x = x * 6364136223846793005u + 1442695040888963407u;
    accesses.push_back({Address{(x >> 33) % lines * 64}, 8, AccessKind::read, ThreadId{0}, SiteId{}});
  }
  return accesses;
}

/// Miss ratio of a fully associative cache of `lines` lines.
double miss_ratio(const Profile& profile, std::uint64_t lines) {
  const Histogram& h = profile.stacks.front().kinds[0];
  return 1 - static_cast<double>(h.below(lines)) / static_cast<double>(h.total());
}

// Its set distances go on from the lines that it touched while it was alone.
TEST(Analyzer, TheFirstThreadsStreamBeginsAnywhere) {
  for (std::uint64_t before = 1; before <= 6; ++before) {
    auto analyzer = Analyzer::create(small_options());
    std::vector<Access> accesses;
    const auto touch = [&](std::uint64_t lines, std::uint32_t thread) {
      AccessBatch batch;
      for (std::uint64_t l = 0; l < lines; ++l) {
        accesses.push_back({Address{0x10000 + 64 * l}, 8, AccessKind::read, ThreadId{thread}, SiteId{}});
        batch.push(accesses.back());
      }
      analyzer->consume(batch);
    };
    // A profile ends a piece of the work: so many are done when the second thread comes.
    for (std::uint64_t i = 0; i < before; ++i) {
      touch(40, 0);
      analyzer->profile();
    }
    touch(1, 1);
    touch(40, 0);
    const Profile expected = analyse(small_options(), accesses, 1000);
    const Profile actual = analyzer->profile();
    EXPECT_EQ(actual.sets, expected.sets) << before;
  }
}

TEST(Analyzer, AFixedRateSampleIsNearTheTruth) {
  const auto accesses = random_lines(400'000, 50'000);
  const Profile exact = analyse(one_line_size(), accesses, 4096);
  AnalysisOptions options = one_line_size();
  options.sampling.method = Sampling::Method::shards_rate;
  options.sampling.rate = 0.1;
  const Profile sampled = analyse(options, accesses, 4096);
  EXPECT_EQ(sampled.sampling.rate, 0.125);
  EXPECT_NEAR(static_cast<double>(sampled.stacks[0].footprint_lines) * 8,
              static_cast<double>(exact.stacks[0].footprint_lines), 2500);
  for (const std::uint64_t lines : {10'000, 25'000, 40'000})
    EXPECT_NEAR(miss_ratio(sampled, lines), miss_ratio(exact, lines), 0.02) << lines;
}

TEST(Analyzer, AFixedSizeSampleStaysSmallAndNearTheTruth) {
  const auto accesses = random_lines(400'000, 50'000);
  const Profile exact = analyse(one_line_size(), accesses, 4096);
  AnalysisOptions options = one_line_size();
  options.sampling.method = Sampling::Method::shards_size;
  options.sampling.rate = 1;
  options.sampling.max_lines = 8000;
  const Profile sampled = analyse(options, accesses, 4096);
  EXPECT_EQ(sampled.sampling.rate, 0.125);
  EXPECT_LE(sampled.stacks[0].footprint_lines, 8000u);
  for (const std::uint64_t lines : {10'000, 25'000, 40'000})
    EXPECT_NEAR(miss_ratio(sampled, lines), miss_ratio(exact, lines), 0.02) << lines;
}

TEST(Analyzer, ShortMemoryMeansSamplingAndAWarning) {
  const auto accesses = random_lines(600'000, 400'000);
  AnalysisOptions options = one_line_size();
  options.memory_limit = 5'000'000;
  auto analyzer = Analyzer::create(options);
  AccessBatch batch;
  for (const Access& a : accesses) {
    batch.push(a);
    if (batch.full()) {
      analyzer->consume(batch);
      batch.clear();
    }
  }
  ASSERT_EQ(analyzer->warnings().size(), 1u);
  const Profile profile = analyzer->profile();
  EXPECT_EQ(profile.sampling.method, Sampling::Method::shards_size);
  EXPECT_LT(profile.sampling.rate, 1);
}

TEST(Analyzer, FollowsWriteBacksAtTheUsualLineUnlessToldOtherwise) {
  const auto followed = [](AnalysisOptions options) {
    std::vector<std::uint64_t> lines;
    options.set_lines = {};
    for (const StackProfile& s : analyse(options, random_lines(10, 3), 100).stacks) {
      if (s.write_backs) lines.push_back(s.line.bytes().value);
    }
    return lines;
  };
  using Lines = std::vector<std::uint64_t>;
  EXPECT_EQ(followed({}), Lines{64});
  EXPECT_EQ(followed({.lines = {LineSize{9}, LineSize{5}, LineSize{7}}}), Lines{128});
  EXPECT_EQ(followed({.lines = {LineSize{5}, LineSize{2}}}), Lines{32});
  EXPECT_EQ(followed({.write_back_lines = std::vector<LineSize>{}}), Lines{});
  EXPECT_EQ(followed({.write_back_lines = std::vector{LineSize{7}, LineSize{5}}}), (Lines{32, 128}));
}

TEST(Analyzer, SampledWriteBacksAreNearTheTruth) {
  auto accesses = random_lines(400'000, 50'000);
  for (std::size_t i = 0; i < accesses.size(); i += 3) accesses[i].kind = AccessKind::write;
  const auto write_backs = [](const Profile& p, std::uint64_t lines) {
    double n = 0;
    for (const Bin& b : *p.stacks[0].write_backs) n += b.value >= lines ? static_cast<double>(b.count) : 0;
    return n / p.sampling.rate;
  };
  const Profile exact = analyse(one_line_size(), accesses, 4096);
  AnalysisOptions fixed_rate = one_line_size();
  fixed_rate.sampling.method = Sampling::Method::shards_rate;
  fixed_rate.sampling.rate = 0.125;
  AnalysisOptions fixed_size = one_line_size();
  fixed_size.sampling.method = Sampling::Method::shards_size;
  fixed_size.sampling.max_lines = 8000;
  for (const AnalysisOptions& options : {fixed_rate, fixed_size}) {
    const Profile sampled = analyse(options, accesses, 4096);
    EXPECT_EQ(sampled.sampling.rate, 0.125);
    for (const std::uint64_t lines : {10'000, 25'000, 40'000})
      EXPECT_NEAR(write_backs(sampled, lines), write_backs(exact, lines), 0.04 * 133'334) << lines;
  }
}

TEST(Analyzer, IntervalsAnalyseTheirShare) {
  AnalysisOptions options = one_line_size();
  options.sampling.method = Sampling::Method::interval;
  options.sampling.on = 100;
  options.sampling.off = 900;
  const Profile profile = analyse(options, random_lines(10'050, 1000), 333);
  EXPECT_EQ(profile.sampling.analysed, 1050u);
  EXPECT_EQ(profile.stacks[0].kinds[0].total(), 1050u);
  EXPECT_EQ(profile.threads[0].accesses[0], 10'050u);
}

/// The accesses of C += A·B in T × T tiles of 8-byte elements, C's element in a register along the innermost loop.
std::vector<Access> tiled_product(std::uint64_t n, std::uint64_t t) {
  const std::uint64_t a = 0x100000, b = a + n * n * 8, c = b + n * n * 8;
  std::vector<Access> accesses;
  const auto add = [&](std::uint64_t base, std::uint64_t row, std::uint64_t column, AccessKind kind) {
    accesses.push_back({Address{base + (row * n + column) * 8}, 8, kind, ThreadId{0}, SiteId{}});
  };
  for (std::uint64_t i0 = 0; i0 < n; i0 += t)
    for (std::uint64_t j0 = 0; j0 < n; j0 += t)
      for (std::uint64_t k0 = 0; k0 < n; k0 += t)
        for (std::uint64_t i = i0; i < i0 + t; ++i)
          for (std::uint64_t j = j0; j < j0 + t; ++j) {
            add(c, i, j, AccessKind::read);
            for (std::uint64_t k = k0; k < k0 + t; ++k) {
              add(a, i, k, AccessKind::read);
              add(b, k, j, AccessKind::read);
            }
            add(c, i, j, AccessKind::write);
          }
  return accesses;
}

std::uint64_t count_at(const Histogram& h, std::uint64_t distance) {
  const auto it = std::ranges::find(h.bins, distance, &Bin::value);
  return it == h.bins.end() ? 0 : it->count;
}

// Lines of one element, so that the algebra is that of elements.
TEST(Analyzer, ATiledProductHasItsKneesWhereTheAlgebraSays) {
  constexpr std::uint64_t n = 24, t = 6, tiles = (n / t) * (n / t) * (n / t);
  AnalysisOptions options = one_line_size();
  options.lines = {LineSize{3}};
  const Profile profile = analyse(options, tiled_product(n, t), 4096);
  const Histogram& reads = profile.stacks[0].kinds[static_cast<std::size_t>(AccessKind::read)];
  const Histogram& writes = profile.stacks[0].kinds[static_cast<std::size_t>(AccessKind::write)];

  // c[i][j] is written after t elements of a row of A and t of a column of B.
  EXPECT_EQ(count_at(writes, 2 * t), tiles * t * t);
  EXPECT_EQ(writes.total(), tiles * t * t);
  // a[i][k] returns with the next column: the rest of its row, t elements of B, two of C.
  EXPECT_EQ(count_at(reads, 2 * t + 1), tiles * t * t * (t - 1));
  // b[k][j] returns with the next row: the rest of its tile, two rows of A, t + 1 elements of C; at the tile's first
  // column one row of A and k + 1 elements of the next, which comes to the same for the last k.
  EXPECT_EQ(count_at(reads, t * t + 3 * t), tiles * (t - 1) * ((t - 2) * t + 1));
  EXPECT_EQ(reads.cold + writes.cold, 3 * n * n);

  // So the curve falls by exactly these when the cache grows by one line past each.
  const auto misses = [&](std::uint64_t lines) {
    return reads.total() + writes.total() - reads.below(lines) - writes.below(lines);
  };
  EXPECT_EQ(misses(2 * t) - misses(2 * t + 1), tiles * t * t);
  EXPECT_EQ(misses(2 * t + 1) - misses(2 * t + 2), tiles * t * t * (t - 1));
  EXPECT_EQ(misses(t * t + 3 * t) - misses(t * t + 3 * t + 1), tiles * (t - 1) * ((t - 2) * t + 1));
}

TEST(Analyzer, RefusesOptionsThatMakeNoSense) {
  AnalysisOptions options;
  options.lines = {};
  EXPECT_EQ(Analyzer::create(options).error().what, "no line size is asked for");
  options.lines = {LineSize{6}, LineSize{6}};
  EXPECT_EQ(Analyzer::create(options).error().what, "line size 64 is asked for twice");
  options.lines = {LineSize{5}, LineSize{6}};
  options.write_back_lines = {LineSize{6}, LineSize{7}};
  EXPECT_EQ(Analyzer::create(options).error().what,
            "write-backs are asked for at 128-byte lines, but their stack distances are not");
  options = {};
  options.sampling.method = Sampling::Method::interval;
  EXPECT_EQ(Analyzer::create(options).error().what, "interval sampling needs a stretch that is on");
}

}  // namespace
}  // namespace cachescape
