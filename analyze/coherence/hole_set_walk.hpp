// How the sets of hole_sets.hpp lie in memory, and what goes through those of one line.
//
// A set has a slot for each way, and a line stays in its slot. Beside the lines' numbers stand the slots' ranks, a byte
// each: how many of the set's lines and holes were touched since. A hole's has `hole` added. A touch then moves
// nothing; it adds one to some ranks, all at once. A place that was never used is a hole below all others, so that
// memory as the kernel gives it, all zero, is a set of holes in the order of their slots: ranks are kept as what
// differs from that.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace cachescape::analyze {

struct HoleSetLayout {
  static constexpr unsigned most_levels = 25;
  static constexpr unsigned slots_together = 32;  ///< ranks are padded to these
  static constexpr std::uint8_t hole = 0x80;

  struct Level {
    std::uint32_t* numbers = nullptr;
    std::uint8_t* ranks = nullptr;
  };
  std::array<Level, most_levels> level{};  ///< by logarithm of the number of sets
  unsigned levels = 0;
  unsigned ways = 0;
  unsigned slots = 0;  ///< ways, padded to slots_together

  std::uint32_t* numbers(unsigned l, std::uint64_t line) const { return level[l].numbers + set(l, line) * slots; }
  std::uint8_t* ranks(unsigned l, std::uint64_t line) const { return level[l].ranks + set(l, line) * slots; }
  static std::uint64_t set(unsigned l, std::uint64_t line) { return line & ((std::uint64_t{1} << l) - 1); }
};

/// Touches a line: how deep it was at each level, `ways` where it was not there, up to the first at which it was the
/// last one touched. Returns that level, or the number of levels. Preconditions: number > 0; `depths` has room for all.
using HoleSetTouch = unsigned (*)(const HoleSetLayout& layout, std::uint64_t line, std::uint32_t number,
                                  std::uint8_t* depths);
/// Takes a line away, and tells how deep it was at each level, `ways` where it was not there.
using HoleSetTake = void (*)(const HoleSetLayout& layout, std::uint64_t line, std::uint32_t number,
                             std::uint8_t* depths);

/// The same for any processor and for one that has AVX2.
struct HoleSetWalk {
  HoleSetTouch touch;
  HoleSetTake take;
};
HoleSetWalk portable_hole_set_walk();
/// Only to be called where hole_set_walk_has_avx2().
HoleSetWalk avx2_hole_set_walk();
bool hole_set_walk_has_avx2();

}  // namespace cachescape::analyze
