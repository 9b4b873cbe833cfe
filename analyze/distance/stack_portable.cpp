// The stack-distance kernel for any processor.
#include <bit>

#include "analyze/distance/stack_kernel.hpp"
#include "analyze/distance/stack_sweep_kernel.hpp"

namespace cachescape::analyze {

namespace {

struct Portable {
  static std::uint32_t popcount(std::uint64_t bits) { return static_cast<std::uint32_t>(std::popcount(bits)); }

  static bool ascending(const std::uint32_t* times, unsigned size) {
    for (unsigned i = 1; i < size; ++i)
      if (times[i] < times[i - 1]) return false;
    return true;
  }

  static void count_greater_before(const std::uint32_t* times, unsigned size, std::uint32_t* counts) {
    for (unsigned i = 0; i < size; ++i) {
      std::uint32_t greater = 0;
      for (unsigned j = 0; j < i; ++j) greater += times[j] > times[i] ? 1U : 0U;
      counts[i] = greater;
    }
  }

  static std::uint32_t after_in_64(const std::uint8_t* leaves, std::uint32_t leaf, const std::uint16_t* groups,
                                   std::uint32_t group) {
    std::uint32_t sum = 0;
    for (std::uint32_t i = leaf + 1; i < 64; ++i) sum += leaves[i];
    for (std::uint32_t i = group + 1; i < 64; ++i) sum += groups[i];
    return sum;
  }

  static std::uint32_t sum(const std::uint32_t* blocks, std::uint32_t begin, std::uint32_t end) {
    std::uint32_t total = 0;
    for (std::uint32_t i = begin; i < end; ++i) total += blocks[i];
    return total;
  }

  static void sum_after(const std::uint32_t* blocks, std::uint32_t last, std::uint32_t* after) {
    std::uint32_t total = 0;
    for (std::uint32_t i = last + 1; i-- > 0;) {
      after[i] = total;
      total += blocks[i];
    }
  }
};

}  // namespace

void advance_portable(StackState& state, const Line* lines, std::size_t count, std::uint32_t* distances) {
  StackKernel<Portable>::advance(state, lines, count, distances);
}

void enter_portable(FarStackState& state, const Line* lines, const std::uint8_t* lanes, std::size_t count,
                    std::uint32_t* distances) {
  StackKernel<Portable>::enter(state, lines, lanes, count, distances);
}

bool sweep_portable(FarStackState& state, const StackSweep& sweep, std::uint32_t* distances) {
  return StackSweepKernel<Portable>::sweep(state, sweep, distances);
}

}  // namespace cachescape::analyze
