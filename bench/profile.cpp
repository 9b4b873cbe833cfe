// What a bin of a long histogram costs to write and to read, and how large it is in the file: of distances as programs
// have them, where most occur, and of rare ones.
#include <benchmark/benchmark.h>

#include <unistd.h>

#include <filesystem>
#include <random>
#include <string>

#include "profile/reader.hpp"
#include "profile/writer.hpp"

namespace cachescape::bench {
namespace {

constexpr std::uint64_t bins = 1'000'000;

/// One distance in `gap` occurs, on average.
Profile long_profile(std::uint64_t gap) {
  std::mt19937_64 random(1);
  Profile profile;
  StackProfile& stack = profile.stacks.emplace_back();
  std::uint64_t distance = 0;
  for (std::uint64_t i = 0; i < bins; ++i) {
    stack.kinds[0].bins.push_back({distance, 1 + random() % 20});
    distance += 1 + random() % (2 * gap - 1);
  }
  stack.footprint_lines = distance;
  return profile;
}

/// In a place of its own, gone at the end.
class File {
 public:
  File()
      : path_((std::filesystem::temp_directory_path() / ("bench." + std::to_string(getpid()) + ".cscape")).string()) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() { std::filesystem::remove(path_); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

void count(benchmark::State& state) {
  state.counters["bins/s"] =
      benchmark::Counter(static_cast<double>(bins), benchmark::Counter::kIsIterationInvariantRate);
}

void write(benchmark::State& state) {
  const Profile profile = long_profile(static_cast<std::uint64_t>(state.range(0)));
  const File file;
  for (auto _ : state)
    if (!profile::write_profile(file.path(), profile)) state.SkipWithError("cannot write");
  count(state);
  state.counters["bytes/bin"] = static_cast<double>(std::filesystem::file_size(file.path())) / bins;
}
BENCHMARK(write)->Arg(1)->Arg(2)->Arg(10)->Arg(1000)->Unit(benchmark::kMillisecond)->UseRealTime();

void read(benchmark::State& state) {
  const File file;
  if (!profile::write_profile(file.path(), long_profile(static_cast<std::uint64_t>(state.range(0)))))
    state.SkipWithError("cannot write");
  for (auto _ : state) {
    const auto back = profile::read_profile(file.path());
    if (!back) state.SkipWithError("cannot read");
    benchmark::DoNotOptimize(back);
  }
  count(state);
}
BENCHMARK(read)->Arg(1)->Arg(2)->Arg(10)->Arg(1000)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace cachescape::bench

BENCHMARK_MAIN();
