// Stack distances at 64-byte lines: our engine against the textbook, in one process, turn by turn.
//
//   bench_stack_distance [millions of accesses, 50 by default] [rounds, 3 by default] [part of a stream's name]
//
// Prints CPU time per access, the best of the rounds, and how many times faster than the textbook we are. "tuned" is
// the textbook with a flat hash table that passes over touches of the same line. "histogram" adds what callers do with
// distances: counting each in an exact histogram.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "analyze/distance/stack_distances.hpp"
#include "bench/fenwick.hpp"
#include "bench/streams.hpp"

namespace {

using cachescape::Line;
using cachescape::LineSize;
using cachescape::analyze::cold_distance;
using cachescape::analyze::StackDistances;
using cachescape::bench::FenwickDistances;
using cachescape::bench::FlatTable;
using cachescape::bench::StandardTable;

double cpu_seconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

struct Measured {
  double ns = std::numeric_limits<double>::infinity();
  std::uint64_t checksum = 0;
};

/// One run of an engine over the stream, in chunks as the pipeline delivers them.
template <class Engine>
void run(Engine engine, std::span<const Line> lines, bool with_histogram, Measured& best) {
  constexpr std::size_t chunk = 4096;
  std::vector<std::uint32_t> distances(chunk);
  std::vector<std::uint64_t> histogram(std::size_t{1} << 25);
  std::uint64_t cold = 0;
  std::uint64_t checksum = 0;
  const double start = cpu_seconds();
  for (std::size_t i = 0; i < lines.size(); i += chunk) {
    const std::size_t n = std::min(chunk, lines.size() - i);
    engine.process(lines.subspan(i, n), std::span(distances).first(n));
    checksum = (checksum ^ distances[n / 2]) * 0x9e3779b97f4a7c15U;
    if (with_histogram) {
      for (const std::uint32_t d : std::span(distances).first(n)) {
        if (d == cold_distance) {
          ++cold;
        } else {
          ++histogram[d];
        }
      }
    }
  }
  const double seconds = cpu_seconds() - start;
  best.ns = std::min(best.ns, seconds * 1e9 / static_cast<double>(lines.size()));
  best.checksum = checksum;
}

struct Stream {
  std::string name;
  std::function<std::vector<Line>(LineSize, std::size_t)> make;
};

}  // namespace

int main(int argc, char** argv) {
  const std::size_t accesses = static_cast<std::size_t>(argc > 1 ? std::atoi(argv[1]) : 50) * 1'000'000;
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 3;
  const std::string wanted = argc > 3 ? argv[3] : "";
  using namespace cachescape::bench;
  constexpr std::uint64_t mib = 1 << 20;
  const std::vector<Stream> streams = {
      {"blocked GEMM + stencil", gemm_and_stencil},
      {"8-byte sweep, 64 MiB", [](LineSize l, std::size_t n) { return sweep(l, n, 64 * mib, 8); }},
      {"64-byte sweep, 64 MiB", [](LineSize l, std::size_t n) { return sweep(l, n, 64 * mib, 64); }},
      {"random, 64 MiB", [](LineSize l, std::size_t n) { return uniform(l, n, 64 * mib); }},
      {"Zipf, 16 Mi lines", [](LineSize l, std::size_t n) { return zipf(l, n, 24); }},
  };
  fmt::print("{:24} {:>9} {:>10} {:>9} {:>9} {:>7} {:>10} | {:>9} {:>9} {:>7}\n", "ns per access", "textbook", "tuned",
             "portable", "ours", "ratio", "bytes/line", "textbook", "ours", "ratio");
  fmt::print("{:84} | {:>27}\n", "", "with an exact histogram");
  bool agree = true;
  for (const Stream& stream : streams) {
    if (!stream.name.contains(wanted)) continue;
    const std::vector<Line> lines = stream.make(LineSize::of(64), accesses);
    Measured textbook, tuned, portable, ours, textbook_histogram, ours_histogram;
    for (int round = 0; round < rounds; ++round) {
      run(FenwickDistances<StandardTable, false>(), lines, false, textbook);
      run(StackDistances(), lines, false, ours);
      run(FenwickDistances<FlatTable, true>(), lines, false, tuned);
      run(StackDistances({.path = StackDistances::Path::portable}), lines, false, portable);
      run(FenwickDistances<StandardTable, false>(), lines, true, textbook_histogram);
      run(StackDistances(), lines, true, ours_histogram);
    }
    StackDistances engine;
    std::vector<std::uint32_t> distances(lines.size());
    engine.process(lines, distances);
    fmt::print("{:24} {:9.1f} {:10.1f} {:9.1f} {:9.1f} {:6.1f}x {:10.1f} | {:9.1f} {:9.1f} {:6.1f}x\n", stream.name,
               textbook.ns, tuned.ns, portable.ns, ours.ns, textbook.ns / ours.ns,
               static_cast<double>(engine.memory_bytes()) / static_cast<double>(engine.distinct_lines()),
               textbook_histogram.ns, ours_histogram.ns, textbook_histogram.ns / ours_histogram.ns);
    std::fflush(stdout);
    agree = agree && textbook.checksum == ours.checksum && portable.checksum == ours.checksum;
  }
  if (!agree) fmt::print(stderr, "The engines disagree.\n");
  return agree ? 0 : 1;
}
