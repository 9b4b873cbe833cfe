// How fast a machine runs a seed: operations a second, several times.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "product/proxy/benchmark.hpp"
#include "product/proxy/hardware_counters.hpp"
#include "product/proxy/spread.hpp"

namespace cachescape::proxy {

struct MeasureOptions {
  Bytes footprint{0};  ///< at least; 0 = what the seed needs
  unsigned chains = 1;
  std::uint64_t operations = 0;  ///< of each repetition, at least; 0 = about half a second's
  unsigned repetitions = 5;
  std::optional<unsigned> processor;
  double delay = 0;  ///< seconds between initialisation and warm-up
  bool huge_pages = false;
  bool counters = false;
  /// Told the share of the stage that is done; never while the clock runs.
  std::function<void(std::string_view stage, double done)> progress;
};

struct Measurement {
  Layout layout;
  bool huge_pages_asked = false;
  Pages pages = Pages::small;
  Bytes in_huge_pages{0};
  std::optional<unsigned> processor;
  unsigned spilled_chains = 0;           ///< that did not fit into registers
  std::uint64_t warm_up = 0;             ///< operations before the first repetition
  std::uint64_t operations = 0;          ///< of each repetition
  std::vector<double> seconds;           ///< by repetition
  Spread rate;                           ///< operations a second
  std::optional<HardwareCounts> counts;  ///< by operation; none where not asked for
};

/// Takes the calling thread to the processor, initialises, waits, warms up (once around the loop, or enough to fill any
/// cache) and measures.
Result<Measurement> measure(const synth::Seed& seed, const MeasureOptions& options);

/// Steps per chain of a warm-up.
std::uint64_t warm_up_rounds(const Layout& layout);
/// Steps per chain that take about so long. Takes a tenth of that itself, or a little more.
std::uint64_t rounds_in(Benchmark& benchmark, double seconds);
/// Seconds that so many steps per chain take. `between` is told, while the clock stands still, what share is done.
double timed(Benchmark& benchmark, std::uint64_t rounds, const Progress& between = {});

}  // namespace cachescape::proxy
