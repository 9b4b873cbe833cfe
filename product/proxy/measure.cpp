#include "product/proxy/measure.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

#include <fmt/format.h>

#include "product/proxy/chase.hpp"
#include "product/proxy/processor.hpp"

namespace cachescape::proxy {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

std::uint64_t divided_up(std::uint64_t n, std::uint64_t by) { return n / by + static_cast<std::uint64_t>(n % by != 0); }

/// Steps per chain between two looks at the clock: some milliseconds to a second.
std::uint64_t slice(const Layout& layout) { return (std::uint64_t{1} << 22) / layout.chains; }

Result<void> make_sense(const MeasureOptions& options) {
  if (options.repetitions == 0) return failure(ErrorKind::usage, "nothing is measured in no repetitions");
  if (!(options.delay >= 0) || options.delay > 1e6)
    return failure(ErrorKind::usage, fmt::format("a delay of {} s makes no sense", options.delay));
  return {};
}

}  // namespace

double timed(Benchmark& benchmark, std::uint64_t rounds, const Progress& between) {
  const std::uint64_t most = slice(benchmark.layout());
  double seconds = 0;
  for (std::uint64_t done = 0; done < rounds;) {
    const std::uint64_t now = std::min(most, rounds - done);
    const Clock::time_point start = Clock::now();
    benchmark.run(now);
    seconds += seconds_since(start);
    done += now;
    if (between) between(static_cast<double>(done) / static_cast<double>(rounds));
  }
  return seconds;
}

std::uint64_t warm_up_rounds(const Layout& layout) {
  // As many different words as fill a quarter of a gibibyte, which is more than any cache.
  constexpr std::uint64_t enough = std::uint64_t{1} << 26;
  return divided_up(std::min(layout.visits(), enough), layout.chains);
}

std::uint64_t rounds_in(Benchmark& benchmark, double seconds) {
  constexpr std::uint64_t most = std::uint64_t{1} << 40;
  for (std::uint64_t rounds = 1024;; rounds *= 2) {
    const Clock::time_point start = Clock::now();
    benchmark.run(rounds);
    const double took = seconds_since(start);
    if (took >= seconds / 10 || rounds >= most)
      return static_cast<std::uint64_t>(std::ceil(static_cast<double>(rounds) * seconds / took));
  }
}

Result<Measurement> measure(const synth::Seed& seed, const MeasureOptions& options) {
  CACHESCAPE_CHECK(make_sense(options));
  const auto telling = [&](std::string_view stage) {
    return [&options, stage](double done) {
      if (options.progress) options.progress(stage, done);
    };
  };
  Measurement result;
  CACHESCAPE_TRY(result.layout, lay_out(seed, options.footprint, options.chains));
  // Before the memory is touched, so that it lies near the processor.
  std::optional<Binding> binding;
  if (options.processor) {
    CACHESCAPE_TRY(Binding bound, Binding::to(*options.processor));
    binding.emplace(std::move(bound));
  }
  CACHESCAPE_TRY(Benchmark benchmark, Benchmark::make(seed, result.layout, options.huge_pages, telling("laying out")));
  result.huge_pages_asked = options.huge_pages;
  result.pages = benchmark.memory().pages();
  result.in_huge_pages = benchmark.memory().in_huge_pages();
  result.processor = options.processor;
  result.spilled_chains = options.chains - std::min(options.chains, chains_in_registers);

  std::this_thread::sleep_for(std::chrono::duration<double>(options.delay));
  const std::uint64_t warm_up = warm_up_rounds(result.layout);
  timed(benchmark, warm_up, telling("warming up"));
  result.warm_up = warm_up * options.chains;
  constexpr double usual_seconds = 0.5;
  const std::uint64_t rounds =
      options.operations > 0 ? divided_up(options.operations, options.chains) : rounds_in(benchmark, usual_seconds);
  result.operations = rounds * options.chains;

  std::optional<HardwareCounters> counters;
  if (options.counters) counters.emplace();
  std::vector<double> rates;
  for (unsigned r = 0; r < options.repetitions; ++r) {
    if (counters) counters->start();
    const double seconds =
        timed(benchmark, rounds, [&](double done) { telling("measuring")((r + done) / options.repetitions); });
    if (counters) counters->stop();
    result.seconds.push_back(seconds);
    rates.push_back(static_cast<double>(result.operations) / seconds);
  }
  result.rate = spread_of(rates);
  if (counters) {
    result.counts = counters->read();
    const double all = static_cast<double>(result.operations) * options.repetitions;
    for (auto& value : result.counts->values) {
      if (value) *value /= all;
    }
  }
  return result;
}

}  // namespace cachescape::proxy
