// Cost of the set-distance engine beside the simulation of one cache, in the same process.
//
//   bench_set_distance [millions of touches per stream, default 16] [rounds, default 3]
//
// Engines take turns on each stream; the best round counts. CPU time of the process, nanoseconds per touch.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "analyze/distance/set_distance.hpp"
#include "bench/streams.hpp"
#include "cachescape/line.hpp"
#include "cachescape/quantity.hpp"

namespace {

using cachescape::Line;
using cachescape::analyze::InstructionSet;
using cachescape::analyze::SetDistances;
using cachescape::analyze::SetGrid;

constexpr std::size_t batch = 4096;
constexpr cachescape::LineSize line_size = cachescape::LineSize::of(64);
constexpr std::uint64_t footprint = std::uint64_t{64} << 20;

struct Stream {
  std::string name;
  std::vector<Line> lines;
  std::vector<std::uint16_t> kinds;  ///< 0 = read, 1 = write; every third touch writes

  Stream(std::string stream_name, std::vector<Line> stream_lines)
      : name(std::move(stream_name)), lines(std::move(stream_lines)), kinds(lines.size()) {
    for (std::size_t i = 2; i < kinds.size(); i += 3) kinds[i] = 1;
  }
};

/// One cache as one writes it: 64 sets × 8 ways, tags moved to the front, hits and misses by kind.
class OneCache {
 public:
  OneCache() {
    for (std::array<std::uint64_t, ways>& set : sets_) set.fill(~std::uint64_t{0});
  }

  void process(std::span<const Line> lines, std::span<const std::uint16_t> kinds) {
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const std::uint64_t x = lines[i].value;
      std::array<std::uint64_t, ways>& set = sets_[x % sets_.size()];
      std::size_t way = 0;
      while (way < ways && set[way] != x) ++way;
      ++(way < ways ? hits_ : misses_)[kinds[i]];
      for (std::size_t w = std::min(way, ways - 1); w > 0; --w) set[w] = set[w - 1];
      set[0] = x;
    }
  }
  std::uint64_t hits() const { return hits_[0] + hits_[1]; }

 private:
  static constexpr std::size_t ways = 8;
  std::array<std::array<std::uint64_t, ways>, 64> sets_;
  std::array<std::uint64_t, 2> hits_{};
  std::array<std::uint64_t, 2> misses_{};
};

double cpu_seconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

template <class Engine>
double seconds(Engine& engine, const Stream& s) {
  const std::span<const Line> lines(s.lines);
  const std::span<const std::uint16_t> kinds(s.kinds);
  const double start = cpu_seconds();
  for (std::size_t at = 0; at < lines.size(); at += batch) {
    const std::size_t n = std::min(batch, lines.size() - at);
    engine.process(lines.subspan(at, n), kinds.subspan(at, n));
  }
  return cpu_seconds() - start;
}

struct Contender {
  const char* name;
  /// Seconds for the stream, and the hits of 64 sets × 8 ways.
  std::function<std::pair<double, std::uint64_t>(const Stream&)> run;
};

std::pair<double, std::uint64_t> run_grid(const Stream& s, unsigned ways, InstructionSet path) {
  SetDistances engine(SetGrid{.ways = ways}, 2, path);
  const double t = seconds(engine, s);
  std::uint64_t hits = 0;
  for (std::uint16_t kind = 0; kind < 2; ++kind) {
    const std::vector<std::uint64_t> counts = engine.histogram(64, kind);
    for (unsigned d = 0; d < 8; ++d) hits += counts[d];
  }
  return {t, hits};
}

int run(std::size_t n, int rounds) {
  const std::vector<Contender> contenders{
      {"one cache, 64 sets x 8",
       [](const Stream& s) {
         OneCache cache;
         const double t = seconds(cache, s);
         return std::pair{t, cache.hits()};
       }},
      {"17 set counts x 16 ways", [](const Stream& s) { return run_grid(s, 16, InstructionSet::automatic); }},
      {"17 set counts x 32 ways", [](const Stream& s) { return run_grid(s, 32, InstructionSet::automatic); }},
      {"x 16 ways, AVX2", [](const Stream& s) { return run_grid(s, 16, InstructionSet::avx2); }},
      {"x 16 ways, portable", [](const Stream& s) { return run_grid(s, 16, InstructionSet::portable); }},
  };
  fmt::print("{:<18}", "ns per touch");
  for (const Contender& c : contenders) fmt::print("{:>25}", c.name);
  fmt::print("{:>12}\n", "16 / one");
  bool agree = true;
  namespace bench = cachescape::bench;
  const std::vector<std::function<Stream()>> streams{
      [n] { return Stream("GEMM + stencil", bench::gemm_and_stencil(line_size, n)); },
      [n] { return Stream("8-byte sweep", bench::sweep(line_size, n, footprint, 8)); },
      [n] { return Stream("64-byte sweep", bench::sweep(line_size, n, footprint, 64)); },
      [n] { return Stream("random 64 MB", bench::uniform(line_size, n, footprint)); },
      [n] { return Stream("Zipf, 16 M lines", bench::zipf(line_size, n, 24)); },
  };
  for (const auto& make : streams) {
    const Stream s = make();
    std::vector<double> best(contenders.size(), std::numeric_limits<double>::infinity());
    std::vector<std::uint64_t> hits(contenders.size());
    for (int round = 0; round < rounds; ++round) {
      for (std::size_t c = 0; c < contenders.size(); ++c) {
        const auto [t, h] = contenders[c].run(s);
        best[c] = std::min(best[c], t);
        hits[c] = h;
        agree = agree && h == hits[0];
      }
    }
    fmt::print("{:<18}", s.name);
    for (const double t : best) fmt::print("{:>25.2f}", t * 1e9 / static_cast<double>(s.lines.size()));
    fmt::print("{:>12.2f}\n", best[1] / best[0]);
  }
  if (!agree) fmt::print("the hits of 64 sets x 8 ways differ\n");
  return agree ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t millions = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 16;
  const int rounds = argc > 2 ? static_cast<int>(std::strtol(argv[2], nullptr, 10)) : 3;
  return run(millions * 1000000, rounds);
}
