// What the kernels of the front work on: plain data, owned by Front, changed by front_kernel.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cachescape/packed_access.hpp"
#include "cachescape/quantity.hpp"

namespace cachescape::analyze {

/// Touches of lines that were not in the front, in their order. Columns of one table.
struct FarTouches {
  static constexpr std::size_t capacity = 1024;
  std::size_t count = 0;
  bool weighted = false;  ///< not all of them count once
  Line line[capacity];
  Line left[capacity];  ///< the line that had to leave the front for it; its number means nothing if none did
  std::uint64_t demotion[capacity];  ///< how the one that left stands to those that stayed (Front)
  std::uint32_t weight[capacity];
  std::uint32_t place[capacity];
  std::uint16_t group[capacity];
  std::uint8_t lane[capacity];  ///< which it took
};

/// What happened to a line's epoch between writes while it was in the front, and a touch of it that did not come
/// through the front.
struct EpochEvent {
  std::size_t before;  ///< the far touch of this number
  Line line;
  std::uint32_t distance;
  std::uint32_t weight;
  bool writes;
};

/// For each of eight lanes those that came after it: a byte for each, a bit for each in it.
class LaneOrder {
 public:
  /// One after the other, the last first.
  constexpr LaneOrder() {
    for (unsigned lane = 8; lane-- > 0;) raise(lane);
  }
  bool operator==(const LaneOrder&) const = default;

  [[gnu::always_inline]] constexpr std::uint32_t after(unsigned lane) const { return after_ >> (8 * lane) & 0xff; }
  /// Now it comes last.
  [[gnu::always_inline]] constexpr void raise(unsigned lane) {
    after_ = (after_ | std::uint64_t{0x0101010101010101u} << lane) & ~(std::uint64_t{0xff} << (8 * lane));
  }

 private:
  std::uint64_t after_ = 0;
};

struct FrontState {
  static constexpr unsigned lanes = 8;
  static constexpr unsigned groups = 8;
  static constexpr unsigned kinds = access_kinds;
  /// Touches may be told apart by place and kind; their distances by lane number.
  static constexpr std::size_t rows_per_place = access_kinds;
  static constexpr std::size_t pattern_slots = 1024;

  /// Near touches of one group whose line agreed on so many levels with each of the lines touched since: a byte each,
  /// the latest first; the group stands in the upper bits of the last.
  struct Pattern {
    std::uint64_t key = 0;
    std::uint64_t times = 0;
  };
  static constexpr unsigned pattern_group_shift = 61;

  alignas(32) std::uint32_t low[lanes] = {};  ///< lower halves of the lines, by lane
  /// From one set on, the numbers of sets at which a line falls into the same as each of the others: a byte for each
  /// lane, that of its own is 0. Only where sets are followed.
  alignas(64) std::uint64_t agreed[lanes] = {};
  LaneOrder touched;
  LaneOrder entered;
  /// Lanes, the latest touched first; the rest is out of every shuffle's range.
  alignas(16) std::uint8_t order[16] = {0, 1, 2, 3, 4, 5, 6, 7, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80};
  std::uint64_t line[lanes] = {};
  /// Of the line's stay in the front: whether it was written, and the greatest distance since the last write, or since
  /// it entered.
  bool written[lanes] = {};
  std::uint32_t greatest[lanes] = {};
  std::uint32_t occupied = 0;  ///< a bit for each lane that holds a line

  bool follows_sets = false;
  bool follows_epochs = false;
  unsigned first_level = 0;
  unsigned max_level = 0;

  Pattern* patterns = nullptr;                            ///< pattern_slots, found by a hash of the key
  void (*settle)(FrontState&, const Pattern&) = nullptr;  ///< counts what has to make room, in …
  void* set_counts = nullptr;                             ///< … something that only it knows
  std::uint64_t near[groups][lanes] = {};                 ///< by distance; with sets, only what was settled
  std::uint64_t* rows = nullptr;                          ///< by place, kind and distance
  std::uint64_t places = 0;                               ///< that there are rows for
  std::uint32_t place_mask = 0;                           ///< 0: places are not told apart
  std::uint64_t ended[lanes] = {};                        ///< epochs by greatest distance
  FarTouches* far = nullptr;
  EpochEvent* events = nullptr;  ///< room for three for each far touch and one for each lane
  std::size_t event_count = 0;
  std::size_t enough_events = 0;  ///< none of epoch_of_… is taken from here on
};

/// Touches one by one, in the form that kernels take them. Where the group is one of these instead, it is a touch that
/// nobody needs to see: it tells of the line's epoch between writes only, and its distance stands for a weight.
inline constexpr std::uint16_t epoch_of_read = 0x100;
inline constexpr std::uint16_t epoch_of_write = 0x101;

struct TouchColumns {
  const Line* line;
  const std::uint16_t* group;
  const std::uint32_t* weight;
  const std::uint32_t* place;
};

/// The inner loops in one kind of machine code. The first two return how many they took: less than all where the far
/// touches or events are full, there is no row for a place, or an access touches more than two lines.
struct FrontKernels {
  std::size_t (*accesses)(FrontState&, const PackedAccess*, std::size_t count, unsigned line_log2);
  std::size_t (*touches)(FrontState&, const TouchColumns&, std::size_t count);
  /// Finds out what lines agree on, after all of them were exchanged.
  void (*relate)(FrontState&);
};

FrontKernels portable_front();
/// Needs a processor with AVX2 and BMI2.
FrontKernels avx2_front();

}  // namespace cachescape::analyze
