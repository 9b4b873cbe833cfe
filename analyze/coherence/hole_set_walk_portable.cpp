// Sets with holes for any processor.
#include "analyze/coherence/hole_set_walk.hpp"

namespace cachescape::analyze {
namespace {

constexpr std::uint8_t hole = HoleSetLayout::hole;

/// One set, with its ranks as they are.
struct PlainSet {
  std::uint32_t* numbers;
  std::uint8_t* kept;
  unsigned ways;

  std::uint8_t rank(unsigned slot) const { return static_cast<std::uint8_t>(kept[slot] ^ slot ^ hole); }
  void set_rank(unsigned slot, unsigned rank) { kept[slot] = static_cast<std::uint8_t>(rank ^ slot ^ hole); }
  unsigned find(std::uint32_t number) const {
    unsigned slot = 0;
    while (slot < ways && numbers[slot] != number) ++slot;
    return slot;
  }
  /// `ways` where none has it.
  unsigned slot_at(unsigned rank_of_it) const {
    unsigned slot = 0;
    while (slot < ways && rank(slot) != rank_of_it) ++slot;
    return slot;
  }
  unsigned topmost_hole() const {
    unsigned top = ways;
    for (unsigned slot = 0; slot < ways; ++slot)
      if (rank(slot) >= hole && rank(slot) - hole < static_cast<int>(top)) top = rank(slot) - hole;
    return top;
  }
  /// The line in the slot comes to the top; those above this rank go down by one.
  void rise(unsigned slot, unsigned from) {
    for (unsigned i = 0; i < ways; ++i)
      if (rank(i) < from) set_rank(i, rank(i) + 1u);
    set_rank(slot, 0);
  }
  unsigned touch(std::uint32_t number) {
    unsigned slot = find(number);
    const unsigned depth = slot < ways ? rank(slot) : ways;
    if (depth == 0) return 0;
    const unsigned top = topmost_hole();
    if (depth == ways) {
      slot = top < ways ? slot_at(top + hole) : slot_at(ways - 1);
      numbers[slot] = number;
      rise(slot, top < ways ? top : ways - 1);
    } else if (top < depth) {
      const unsigned filled = slot_at(top + hole);
      rise(slot, top);
      set_rank(filled, depth + hole);
    } else {
      rise(slot, depth);
    }
    return depth;
  }
  unsigned take(std::uint32_t number) {
    const unsigned slot = find(number);
    if (slot == ways) return ways;
    const unsigned depth = rank(slot);
    numbers[slot] = 0;
    set_rank(slot, depth + hole);
    return depth;
  }
};

unsigned touch_plainly(const HoleSetLayout& layout, std::uint64_t line, std::uint32_t number, std::uint8_t* depths) {
  for (unsigned l = 0; l < layout.levels; ++l) {
    depths[l] =
        static_cast<std::uint8_t>(PlainSet{layout.numbers(l, line), layout.ranks(l, line), layout.ways}.touch(number));
    if (depths[l] == 0) return l;
  }
  return layout.levels;
}

void take_plainly(const HoleSetLayout& layout, std::uint64_t line, std::uint32_t number, std::uint8_t* depths) {
  for (unsigned l = 0; l < layout.levels; ++l)
    depths[l] =
        static_cast<std::uint8_t>(PlainSet{layout.numbers(l, line), layout.ranks(l, line), layout.ways}.take(number));
}

}  // namespace

HoleSetWalk portable_hole_set_walk() { return {touch_plainly, take_plainly}; }

}  // namespace cachescape::analyze
