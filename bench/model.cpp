// How many caches a second the models judge, from a profile as large programs make it: a million different distances,
// set distances for 17 set counts and 32 ways.
#include <benchmark/benchmark.h>

#include <random>
#include <vector>

#include "machine/inline_text.hpp"
#include "model/predict.hpp"
#include "model/streams.hpp"
#include "model/sweep.hpp"

namespace cachescape::bench {
namespace {

Profile large_profile() {
  constexpr std::uint64_t bins = 1'000'000;
  constexpr std::uint32_t ways = 32;
  std::mt19937_64 random(1);
  Profile profile;
  StackProfile stack;
  std::uint64_t distance = 0;
  for (std::uint64_t i = 0; i < bins; ++i) {
    distance += 1 + random() % 2;
    stack.kinds[random() % 2].bins.push_back({distance, 1 + random() % 1000});
  }
  stack.footprint_lines = distance + 1;
  SetProfile sets{{}, stack.line, ways, {}, {}};
  for (std::size_t k = 0; k < access_kinds; ++k) {
    sets.touches[k] = stack.kinds[k].total();
  }
  for (unsigned log2 = 0; log2 <= 16; ++log2) {
    SetCounts counts{std::uint64_t{1} << log2, {}};
    for (std::size_t k = 0; k < access_kinds; ++k) counts.hits[k].assign(ways, sets.touches[k] / 64);
    sets.counts.push_back(counts);
  }
  profile.threads = {{ThreadId{0}, sets.touches}};
  profile.stacks.push_back(std::move(stack));
  profile.sets.push_back(std::move(sets));
  return profile;
}

const model::Streams& streams() {
  static const model::Streams made(large_profile());
  return made;
}

void run_sweep(benchmark::State& state, const model::SweepAxes& axes) {
  std::size_t points = 0;
  for (auto _ : state) {
    const auto result = model::sweep(streams(), axes);
    points += result->points();
    benchmark::DoNotOptimize(result->misses.data());
  }
  state.counters["points/s"] = benchmark::Counter(static_cast<double>(points), benchmark::Counter::kIsRate);
}

/// A size for every line up to 64 MiB.
void fully_associative(benchmark::State& state) {
  run_sweep(state, {.name = "L2",
                    .sizes = model::stepped_sizes(Bytes{64}, Bytes{std::uint64_t{64} << 20}, Bytes{64}),
                    .ways = {model::fully_associative},
                    .lines = {LineSize{6}}});
}
BENCHMARK(fully_associative)->Unit(benchmark::kMillisecond);

/// Powers of two of sets, 1 to 32 ways, over and over.
void set_associative(benchmark::State& state) {
  model::SweepAxes axes{.name = "L2", .lines = {LineSize{6}}};
  for (std::uint64_t repeat = 0; repeat < 2000; ++repeat) {
    for (unsigned log2 = 12; log2 <= 22; ++log2) axes.sizes.emplace_back(std::uint64_t{1} << log2);
  }
  axes.ways = {1, 2, 4, 8, 16, 32};
  run_sweep(state, axes);
}
BENCHMARK(set_associative)->Unit(benchmark::kMillisecond);

/// Three times a power of two of sets: the profile does not hold them.
void sdcm(benchmark::State& state) {
  model::SweepAxes axes{.name = "L2", .ways = {1, 2, 4, 8, 16}, .lines = {LineSize{6}}};
  for (unsigned log2 = 15; log2 <= 24; ++log2) axes.sizes.emplace_back(std::uint64_t{3} << log2);
  run_sweep(state, axes);
}
BENCHMARK(sdcm)->Unit(benchmark::kMillisecond);

void predict(benchmark::State& state) {
  const auto machine = machine::read_inline("L1:32K,8,64 L2:1M,16,64 L3:32M,full,64");
  streams();
  for (auto _ : state) benchmark::DoNotOptimize(model::predict(streams(), *machine));
}
BENCHMARK(predict)->Unit(benchmark::kMicrosecond);

/// What a profile costs before its first question.
void prepare(benchmark::State& state) {
  const Profile profile = large_profile();
  for (auto _ : state) benchmark::DoNotOptimize(model::Streams(profile));
}
BENCHMARK(prepare)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace cachescape::bench

BENCHMARK_MAIN();
