#include "product/proxy/beside.hpp"

#include <chrono>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "product/proxy/companion.hpp"
#include "product/proxy/measure.hpp"
#include "product/proxy/processor.hpp"

namespace cachescape::proxy {
namespace {

/// The benchmark of a seed, warm; nothing for a command.
Result<std::optional<Benchmark>> prepared(const Contender& contender, const BesideOptions& options) {
  if (!contender.command.empty()) return std::optional<Benchmark>{};
  CACHESCAPE_TRY(const Layout layout, lay_out(contender.seed, options.footprint, contender.chains));
  CACHESCAPE_TRY(Benchmark benchmark, Benchmark::make(contender.seed, layout, options.huge_pages));
  benchmark.run(warm_up_rounds(layout));
  return std::optional<Benchmark>(std::move(benchmark));
}

/// A contender that is measured in this process.
class Runner {
 public:
  static Result<Runner> make(const Contender& contender, const BesideOptions& options) {
    CACHESCAPE_TRY(std::optional<Benchmark> benchmark, prepared(contender, options));
    constexpr double usual_seconds = 0.5;
    std::uint64_t rounds = (options.operations + contender.chains - 1) / contender.chains;
    if (benchmark && rounds == 0) rounds = rounds_in(*benchmark, usual_seconds);
    return Runner(contender, std::move(benchmark), rounds);
  }

  /// Operations, or runs, a second.
  Result<Spread> rate(unsigned repetitions) {
    std::vector<double> rates;
    if (benchmark_) benchmark_->run(warm_up_rounds(benchmark_->layout()));
    for (unsigned r = 0; r < repetitions; ++r) {
      if (benchmark_) {
        rates.push_back(static_cast<double>(rounds_ * contender_.chains) / timed(*benchmark_, rounds_));
        continue;
      }
      const auto start = std::chrono::steady_clock::now();
      CACHESCAPE_CHECK(run_command(contender_.command));
      rates.push_back(1 / std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    return spread_of(std::move(rates));
  }

 private:
  Runner(const Contender& contender, std::optional<Benchmark> benchmark, std::uint64_t rounds)
      : contender_(contender), benchmark_(std::move(benchmark)), rounds_(rounds) {}

  const Contender& contender_;
  std::optional<Benchmark> benchmark_;
  std::uint64_t rounds_;
};

/// A contender in a process of its own, with memory of its own that lies near its processor.
Companion::Work work_of(const Contender& contender, const BesideOptions& options) {
  const auto own = std::make_shared<std::optional<Benchmark>>();
  Companion::Work work;
  work.prepare = [&contender, &options, own]() -> Result<void> {
    CACHESCAPE_TRY(std::optional<Benchmark> benchmark, prepared(contender, options));
    if (benchmark) own->emplace(*std::move(benchmark));
    return {};
  };
  work.once = [&contender, own]() -> Result<void> {
    if (!*own) return run_command(contender.command);
    constexpr std::uint64_t some = 1 << 20;
    (*own)->run(some);
    return {};
  };
  return work;
}

double mean_of(std::size_t count, const std::function<double(std::size_t)>& value) {
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += value(i);
  return sum / static_cast<double>(count);
}

}  // namespace

double Interference::sensitivity(std::size_t who) const {
  return mean_of(names.size(), [&](std::size_t other) { return remaining(who, other); });
}

double Interference::interference(std::size_t other) const {
  return mean_of(names.size(), [&](std::size_t who) { return remaining(who, other); });
}

Result<std::array<unsigned, 2>> two_processors() {
  const std::vector<unsigned> usable = usable_processors();
  if (usable.size() < 2)
    return failure(ErrorKind::unsupported, "running side by side takes two processors, and this process may use one",
                   {}, "see taskset -p $$, or run it on a machine with more");
  return std::array{usable[0], usable[1]};
}

Result<Interference> measure_beside(const std::vector<Contender>& contenders, const BesideOptions& options) {
  if (options.repetitions == 0) return failure(ErrorKind::usage, "nothing is measured in no repetitions");
  if (options.processors[0] == options.processors[1])
    return failure(ErrorKind::usage, fmt::format("both would run on processor {}", options.processors[0]));
  CACHESCAPE_TRY(const Binding binding, Binding::to(options.processors[0]));
  const std::size_t count = contenders.size();
  const double steps = static_cast<double>(count * (count + 1));
  double done = 0;
  const auto tell = [&] {
    if (options.progress) options.progress(done++ / steps);
  };
  Interference result;
  result.processors = options.processors;
  for (const Contender& contender : contenders) result.names.push_back(contender.name);
  for (const Contender& contender : contenders) {
    CACHESCAPE_TRY(Runner runner, Runner::make(contender, options));
    tell();
    CACHESCAPE_TRY(const Spread alone, runner.rate(options.repetitions));
    result.alone.push_back(alone);
    std::vector<Spread>& row = result.together.emplace_back();
    for (const Contender& other : contenders) {
      tell();
      CACHESCAPE_TRY(const Companion companion, Companion::start(work_of(other, options), options.processors[1]));
      CACHESCAPE_TRY(const Spread beside, runner.rate(options.repetitions));
      if (!companion.running())
        return failure(ErrorKind::unsupported, fmt::format("it failed while it ran beside {}", contender.name),
                       other.name);
      row.push_back(beside);
    }
  }
  return result;
}

}  // namespace cachescape::proxy
