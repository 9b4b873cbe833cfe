#include "observe/collect/slowdown.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <utility>

namespace cachescape::collect {
namespace {

constexpr std::uint64_t chain_length = 1'000'000;
constexpr std::size_t steps_per_turn = 50;

/// Needs the one before, and takes a cycle on whatever processor.
[[gnu::always_inline]] inline void step(std::uint64_t& value) {
  ++value;
  __asm__ volatile("" : "+r"(value));  // otherwise a compiler adds all up at once
}

template <std::size_t... Each>
[[gnu::always_inline]] inline void steps(std::uint64_t& value, std::index_sequence<Each...> /*all*/) {
  ((static_cast<void>(Each), step(value)), ...);
}

void run_chain() {
  std::uint64_t value = 0;
  while (value < chain_length) steps(value, std::make_index_sequence<steps_per_turn>());
}

double measured_clock() {
  using Clock = std::chrono::steady_clock;
  double least = 1;
  for (int attempt = 0; attempt < 8; ++attempt) {
    const Clock::time_point began = Clock::now();
    run_chain();
    least = std::min(least, std::chrono::duration<double>(Clock::now() - began).count());
  }
  return static_cast<double>(chain_length) / least;
}

}  // namespace

double usual_instructions_per_second() {
  static const double rate = measured_clock() * instructions_per_cycle;
  return rate;
}

std::optional<double> slowdown(std::uint64_t instructions, double seconds, double instructions_per_second) {
  const double alone = static_cast<double>(instructions) / instructions_per_second;
  if (alone < shortest_alone) return std::nullopt;
  return seconds / alone;
}

}  // namespace cachescape::collect
