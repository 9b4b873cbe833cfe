// What the kernels of the set-distance engines work on: plain data, laid out by set_levels.*, changed by
// set_kernel.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "analyze/distance/front_state.hpp"
#include "analyze/distance/instruction_set.hpp"

namespace cachescape::analyze::sets {

/// Set counts 2^0 … 2^20.
inline constexpr unsigned max_levels = 21;
/// Touches that go through the kernels together; what is made for them stays in the L1 cache.
inline constexpr std::size_t chunk_touches = FarTouches::capacity;

/// Offsets into the counters of one group, in 64-bit words. `capacity` is 16 or 32 ways.
struct CounterLayout {
  static constexpr std::size_t touches = 0;
  /// stop[k]: walks that found the line most recent at level k, so at all finer levels.
  static constexpr std::size_t stop = touches + 1;
  /// hits[k][d], one more than `capacity` columns: the last collects distances that are too large.
  static constexpr std::size_t hits = stop + max_levels + 1;

  static constexpr std::size_t hits_row(unsigned capacity) { return capacity + 1; }
  static constexpr std::size_t size(unsigned levels, unsigned capacity) { return hits + levels * hits_row(capacity); }
};

/// Lines that enter the front, and what happens to those that leave it: FarTouches with tags.
template <class Tag>
struct EnteringTags {
  std::size_t count = 0;
  Tag tag[chunk_touches];
  Tag left[chunk_touches];  ///< its lower bits are right: it is used to find sets, not to compare
  std::uint64_t demotion[chunk_touches];
  std::uint32_t weight[chunk_touches];
  std::uint16_t group[chunk_touches];
};

/// Touches of distinct consecutive lines.
struct TouchList {
  std::size_t count = 0;
  std::uint64_t tag[chunk_touches];
  std::uint16_t group[chunk_touches];
  std::uint32_t weight[chunk_touches];
  std::uint64_t line[chunk_touches];
};

/// The power-of-two set counts.
///
/// Level k has 2^k sets, each an array of `capacity` tags, most recent first, 0 = empty; but lines that are in the
/// front come first, those that entered it later before those that entered it earlier. Levels below `cut` hold whole
/// tags; the others hold the 16 bits of the tag above the k bits that the set index implies.
template <class Tag>
struct GridState {
  unsigned min_level = 0;
  unsigned max_level = 0;
  unsigned cut = 0;
  std::byte* base[max_levels] = {};

  /// Guess of the number of levels, from min_level, at which the next line is absent. Guides the work, never
  /// the numbers.
  unsigned absent_guess = 0;

  std::uint64_t* counters = nullptr;
  std::size_t counter_stride = 0;
};

/// One set count outside the grid: `sets` arrays of `capacity` whole tags.
struct SingleState {
  std::uint64_t sets = 1;
  std::uint64_t* tags = nullptr;
  /// hits[group][d], one more than `capacity` columns.
  std::uint64_t* counters = nullptr;
};

/// The inner loops for one capacity in one kind of machine code.
struct Kernels {
  void (*grid_narrow)(GridState<std::uint32_t>&, const EnteringTags<std::uint32_t>&);
  void (*grid_wide)(GridState<std::uint64_t>&, const EnteringTags<std::uint64_t>&);
  void (*single)(SingleState&, const TouchList&);
};

/// `capacity` is 16 or 32.
Kernels portable_kernels(unsigned capacity);
/// Needs a processor with AVX2 and BMI2.
Kernels avx2_kernels(unsigned capacity);
/// Needs one with AVX-512 BW, VL and VBMI too.
Kernels avx512_kernels(unsigned capacity);
/// The fastest that this processor can run, if it may be that fast.
Kernels kernels_on(InstructionSet fastest, unsigned capacity);

}  // namespace cachescape::analyze::sets
