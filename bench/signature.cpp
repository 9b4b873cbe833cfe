// What a signature costs beside stack distances at one line size: the same accesses to each, on one processor. Compare
// the rows of one run. docs/performance.md keeps the table.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <benchmark/benchmark.h>

#include "analyze/engine/line_analysis.hpp"
#include "analyze/signature/signature_analysis.hpp"
#include "bench/streams.hpp"

namespace {

using namespace cachescape;

constexpr std::size_t accesses = 8'000'000;
constexpr std::uint32_t places = 64;

enum class Pattern : std::int64_t {
  gemm_and_stencil,
  sweep,   ///< 8-byte words of 64 MiB
  random,  ///< such words in any order
};

std::vector<PackedAccess> accesses_of(Pattern pattern) {
  constexpr LineSize byte{0};
  constexpr std::uint64_t bytes = std::uint64_t{64} << 20;
  const std::vector<Line> addresses = pattern == Pattern::gemm_and_stencil ? bench::gemm_and_stencil(byte, accesses)
                                      : pattern == Pattern::sweep          ? bench::sweep(byte, accesses, bytes, 8)
                                                                           : bench::uniform(byte, accesses, bytes);
  std::vector<PackedAccess> all;
  for (const Line at : addresses)
    all.emplace_back(Address{at.value}, 8, AccessKind::read, static_cast<std::uint32_t>(all.size() % places));
  return all;
}

void report(benchmark::State& state) {
  state.counters["ns/access"] =
      benchmark::Counter(static_cast<double>(accesses) * 1e-9,
                         benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

/// Calls consume(piece) for stretches of the accesses.
template <class Consume>
void in_pieces(const std::vector<PackedAccess>& all, Consume consume) {
  constexpr std::size_t piece = 16384;
  for (std::size_t i = 0; i < all.size(); i += piece)
    consume(std::span(all).subspan(i, std::min(piece, all.size() - i)));
}

void stack_distances(benchmark::State& state) {
  const auto all = accesses_of(static_cast<Pattern>(state.range(0)));
  for (auto _ : state) {
    analyze::LineAnalysisOptions options;
    options.line = LineSize{static_cast<unsigned>(state.range(1))};
    const auto analysis = std::make_unique<analyze::LineAnalysis>(options);
    in_pieces(all, [&](std::span<const PackedAccess> piece) { analysis->consume(piece); });
    analysis->flush();
    benchmark::DoNotOptimize(analysis->stack({}));
  }
  report(state);
}

void signature(benchmark::State& state) {
  const auto all = accesses_of(static_cast<Pattern>(state.range(0)));
  for (auto _ : state) {
    const auto analysis = std::make_unique<analyze::SignatureAnalysis>(SignatureRule{}, state.range(1) != 0);
    in_pieces(all, [&](std::span<const PackedAccess> piece) { analysis->consume(0, piece); });
    analysis->flush();
    benchmark::DoNotOptimize(analysis->profile({}));
  }
  report(state);
}

/// A triad of three arrays, as loops of so many iterations.
std::vector<StridedAccess> triad(std::uint64_t loop, std::uint64_t trips) {
  constexpr std::uint64_t bytes = std::uint64_t{64} << 20;
  std::vector<StridedAccess> body;
  for (std::uint32_t array = 0; array < 3; ++array) {
    const std::uint64_t base = bench::heap + array * (std::uint64_t{1} << 30) + loop * trips * 8 % bytes;
    body.push_back({Address{base}, 8, 8, array == 2 ? AccessKind::write : AccessKind::read, SiteId{array}});
  }
  return body;
}

template <class Analysis, class Consume>
void loops(benchmark::State& state, std::unique_ptr<Analysis> (*make)(), Consume consume) {
  constexpr std::uint64_t trips = 1000;
  for (auto _ : state) {
    const auto analysis = make();
    for (std::uint64_t loop = 0; loop < accesses / (3 * trips); ++loop) {
      const auto body = triad(loop, trips);
      consume(*analysis, analyze::Loop{trips, body});
    }
    analysis->flush();
  }
  report(state);
}

void stack_distances_of_loops(benchmark::State& state) {
  loops<analyze::LineAnalysis>(
      state, [] { return std::make_unique<analyze::LineAnalysis>(analyze::LineAnalysisOptions()); },
      [](analyze::LineAnalysis& a, const analyze::Loop& loop) { a.consume(loop); });
}

void signature_of_loops(benchmark::State& state) {
  loops<analyze::SignatureAnalysis>(
      state, [] { return std::make_unique<analyze::SignatureAnalysis>(SignatureRule{}, true); },
      [](analyze::SignatureAnalysis& a, const analyze::Loop& loop) { a.consume(0, loop); });
}

BENCHMARK(stack_distances)
    ->ArgNames({"pattern", "log2_line"})
    ->ArgsProduct({{0, 1, 2}, {6, 9}})
    ->Unit(benchmark::kMillisecond);
BENCHMARK(signature)->ArgNames({"pattern", "places"})->ArgsProduct({{0, 1, 2}, {0, 1}})->Unit(benchmark::kMillisecond);
BENCHMARK(stack_distances_of_loops)->Unit(benchmark::kMillisecond);
BENCHMARK(signature_of_loops)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
