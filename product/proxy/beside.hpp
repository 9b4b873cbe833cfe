// What seeds and programs do to each other's speed when they run side by side on two processors.
// Weinberg, section 6.4.2: sensitivity is what a workload suffers, interference what it inflicts.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "product/proxy/benchmark.hpp"
#include "product/proxy/spread.hpp"

namespace cachescape::proxy {

/// A seed and how it is run, or a command for the shell.
struct Contender {
  std::string name;
  synth::Seed seed;  ///< without references where it is a command
  unsigned chains = 1;
  std::string command;
};

struct BesideOptions {
  Bytes footprint{0};
  std::uint64_t operations = 0;  ///< of each repetition of a seed; 0 = about half a second's when alone
  unsigned repetitions = 5;
  bool huge_pages = false;
  std::array<unsigned, 2> processors{0, 1};  ///< of the one that is measured, and of the other
  std::function<void(double done)> progress;
};

struct Interference {
  std::vector<std::string> names;
  std::array<unsigned, 2> processors{};
  /// Runs or operations a second, by contender; then by contender and the one beside it.
  std::vector<Spread> alone;
  std::vector<std::vector<Spread>> together;

  /// Of the medians: how fast `who` is beside `other`, of 1 when alone.
  double remaining(std::size_t who, std::size_t other) const { return together[who][other].median / alone[who].median; }
  double sensitivity(std::size_t who) const;     ///< mean of a row of remaining()
  double interference(std::size_t other) const;  ///< mean of a column
};

/// The first two processors that may be used; fails where there are fewer.
Result<std::array<unsigned, 2>> two_processors();

/// Measures each alone, then beside each, itself included. The one beside is warm and running before the measurement
/// begins, and runs until it has ended: a command is begun again as often as it takes.
Result<Interference> measure_beside(const std::vector<Contender>& contenders, const BesideOptions& options);

}  // namespace cachescape::proxy
