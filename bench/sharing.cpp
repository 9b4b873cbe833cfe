// What several threads cost: the stack of everything alone, with each thread's own, and with coherence. All at 64-byte
// lines, on one processor, over the same accesses; compare the rows of one run. docs/performance.md keeps the table.
#include <cstdint>
#include <random>
#include <vector>

#include <benchmark/benchmark.h>

#include "cachescape/analyzer.hpp"

namespace {

using namespace cachescape;

constexpr std::size_t accesses = 4'000'000;
constexpr std::uint32_t threads = 4;
constexpr std::size_t at_a_time = 64;  ///< accesses of a thread in a row

enum class Pattern : std::int64_t {
  stencil,  ///< a sweep over rows of each thread's own, whose edges neighbours read
  random,   ///< words of 16 MiB that all read and sometimes write
};

std::vector<Access> accesses_of(Pattern pattern) {
  std::mt19937_64 random(1);
  std::vector<Access> all;
  all.reserve(accesses);
  std::vector<std::uint64_t> at(threads);
  constexpr std::uint64_t row = 4096 * 8;
  constexpr std::uint64_t own = 128 * row;
  for (std::uint32_t t = 0; all.size() < accesses; t = (t + 1) % threads) {
    for (std::size_t i = 0; i < at_a_time; ++i) {
      Access a;
      a.thread = ThreadId{t};
      a.size = 8;
      if (pattern == Pattern::stencil) {
        const std::uint64_t step = at[t]++;
        const std::uint64_t centre = (t + 1) * own + step / 4 * 8 % own;
        const std::uint64_t from[] = {centre, centre - row, centre + row, centre + (std::uint64_t{1} << 30)};
        a.address = Address{from[step % 4]};
        a.kind = step % 4 == 3 ? AccessKind::write : AccessKind::read;
      } else {
        a.address = Address{random() % (std::uint64_t{1} << 24) & ~std::uint64_t{7}};
        a.kind = random() % 8 == 0 ? AccessKind::write : AccessKind::read;
      }
      all.push_back(a);
    }
  }
  return all;
}

/// Which analyses are made, each more than the one before.
enum class Followed : std::int64_t { everything, own, coherence };

void analysis(benchmark::State& state) {
  const auto followed = static_cast<Followed>(state.range(1));
  std::vector<AccessBatch> batches;
  for (const Access& a : accesses_of(static_cast<Pattern>(state.range(0)))) {
    if (batches.empty() || batches.back().full()) batches.emplace_back();
    Access access = a;
    if (followed == Followed::everything) access.thread = ThreadId{0};
    batches.back().push(access);
  }
  AnalysisOptions options;
  options.lines = {LineSize{6}};
  options.set_lines = {};
  options.sharing.clear();
  if (followed == Followed::coherence) options.sharing = {1};
  for (auto _ : state) {
    auto analyzer = Analyzer::create(options);
    for (const AccessBatch& batch : batches) analyzer->consume(batch);
    benchmark::DoNotOptimize(analyzer->profile());
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(accesses) * static_cast<std::int64_t>(state.iterations()));
  state.counters["ns/access"] =
      benchmark::Counter(static_cast<double>(accesses) * 1e-9,
                         benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

BENCHMARK(analysis)->ArgNames({"random", "followed"})->ArgsProduct({{0, 1}, {0, 1, 2}})->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
