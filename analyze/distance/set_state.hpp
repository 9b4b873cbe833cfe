// What the kernels of the set-distance engine work on: plain data, laid out by set_levels.* and
// set_counters.hpp, changed by set_kernel.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cachescape::analyze::sets {

/// Lines kept in front of the sets, most recent first.
inline constexpr unsigned front_lines = 8;
/// Set counts 2^0 … 2^20.
inline constexpr unsigned max_levels = 21;
/// Touches that go through the passes together; the scratch arrays stay in the L1 cache.
inline constexpr std::size_t chunk_touches = 1024;

/// Offsets into the counters of one group, in 64-bit words. `capacity` is 16 or 32 ways.
struct CounterLayout {
  /// front[d − 1][n]: front hits whose d-th largest agreement with a line in between covers n levels.
  static constexpr std::size_t front_row = 32;
  /// Touches found in the front, or of the line touched just before.
  static constexpr std::size_t near = (front_lines - 1) * front_row;
  /// All others.
  static constexpr std::size_t far = near + 1;
  /// stop[k]: walks that found the line most recent at level k, so at all finer levels.
  static constexpr std::size_t stop = far + 1;
  /// hits[k][d], one more than `capacity` columns: the last collects distances that are too large.
  static constexpr std::size_t hits = stop + max_levels + 1;

  static constexpr std::size_t hits_row(unsigned capacity) { return capacity + 1; }
  static constexpr std::size_t size(unsigned levels, unsigned capacity) { return hits + levels * hits_row(capacity); }
};

/// Touches of distinct consecutive lines. `line` is only read for set counts that are not in the grid.
template <class Tag>
struct TouchList {
  std::size_t count = 0;
  Tag tag[chunk_touches];
  std::uint16_t group[chunk_touches];
  std::uint32_t weight[chunk_touches];
  std::uint64_t line[chunk_touches];
};

/// The power-of-two set counts.
///
/// Level k has 2^k sets, each an array of `capacity` tags, most recent first, 0 = empty. Levels below `cut`
/// hold whole tags; the others hold the 16 bits of the tag above the k bits that the set index implies.
template <class Tag>
struct GridState {
  unsigned min_level = 0;
  unsigned max_level = 0;
  unsigned cut = 0;
  std::byte* base[max_levels] = {};

  /// The last distinct lines. The sets lag behind: the first `pending` of these lines were touched since the
  /// sets were brought up to date.
  Tag front[front_lines] = {};
  unsigned pending = 0;

  /// Guess of the number of levels, from min_level, at which the next line is absent. Guides the work, never
  /// the numbers.
  unsigned absent_guess = 0;

  std::uint64_t* counters = nullptr;
  std::size_t counter_stride = 0;

  /// Scratch: what the front passes on to the sets. Group `refresh` marks a line that was touched in the front:
  /// it only has to take its place again.
  static constexpr std::uint32_t refresh = 0xffffffff;
  std::size_t walk_count = 0;
  Tag walk_tag[chunk_touches + front_lines];
  std::uint32_t walk_group[chunk_touches + front_lines];
  std::uint32_t walk_weight[chunk_touches + front_lines];
};

/// One set count outside the grid: `sets` arrays of `capacity` whole tags.
template <class Tag>
struct SingleState {
  std::uint64_t sets = 1;
  Tag* tags = nullptr;
  /// hits[group][d], one more than `capacity` columns.
  std::uint64_t* counters = nullptr;
};

/// The inner loops for one capacity in one kind of machine code.
struct Kernels {
  void (*grid_narrow)(GridState<std::uint32_t>&, const TouchList<std::uint32_t>&);
  void (*grid_wide)(GridState<std::uint64_t>&, const TouchList<std::uint64_t>&);
  void (*single_narrow)(SingleState<std::uint32_t>&, const TouchList<std::uint32_t>&);
  void (*single_wide)(SingleState<std::uint64_t>&, const TouchList<std::uint64_t>&);
};

/// `capacity` is 16 or 32.
Kernels portable_kernels(unsigned capacity);
/// Only to be called where avx2_available().
Kernels avx2_kernels(unsigned capacity);
bool avx2_available();

}  // namespace cachescape::analyze::sets
