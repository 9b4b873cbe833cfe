// Sets with holes in AVX2: 32 slots at a time. Chosen at run time, so everything below the target switch must be
// private to this file, and all library headers stand above it.
#include "analyze/coherence/hole_set_walk.hpp"

#if defined(__x86_64__)

#include <immintrin.h>

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,bmi"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,bmi")
#endif

namespace cachescape::analyze {
namespace {

constexpr unsigned together = HoleSetLayout::slots_together;
constexpr unsigned most_parts = 2;

struct SlotNumbers {
  alignas(32) std::uint8_t slot[together] = {};
  constexpr SlotNumbers() {
    for (unsigned i = 0; i < together; ++i) slot[i] = static_cast<std::uint8_t>(i);
  }
};
constexpr SlotNumbers slot_numbers;

/// One set of `Parts` times 32 slots.
template <unsigned Parts>
struct WideSet {
  static_assert(Parts <= most_parts);
  using Slots = std::uint64_t;  ///< a bit per slot

  std::uint32_t* numbers;
  std::uint8_t* kept;
  unsigned ways;
  __m256i rank[Parts];  ///< as they are

  static __m256i bytes(unsigned value) { return _mm256_set1_epi8(static_cast<char>(value)); }
  static __m256i load(const void* p) { return _mm256_load_si256(static_cast<const __m256i*>(p)); }
  static __m256i slots_of(unsigned part) { return _mm256_add_epi8(load(slot_numbers.slot), bytes(part * together)); }
  /// What memory that is all zero stands for.
  static __m256i unused(unsigned part) { return _mm256_or_si256(slots_of(part), bytes(HoleSetLayout::hole)); }
  static Slots bits(__m256i v) { return static_cast<std::uint32_t>(_mm256_movemask_epi8(v)); }

  void read() {
    for (unsigned p = 0; p < Parts; ++p) rank[p] = _mm256_xor_si256(load(kept + p * together), unused(p));
  }
  void write() {
    for (unsigned p = 0; p < Parts; ++p)
      _mm256_store_si256(reinterpret_cast<__m256i*>(kept + p * together), _mm256_xor_si256(rank[p], unused(p)));
  }
  unsigned rank_of(unsigned slot) const { return kept[slot] ^ slot ^ HoleSetLayout::hole; }

  Slots find(std::uint32_t number) const {
    const __m256i wanted = _mm256_set1_epi32(static_cast<int>(number));
    Slots found = 0;
    for (unsigned p = 0; p < Parts; ++p) {
      const std::uint32_t* const from = numbers + p * together;
      const __m256i a =
          _mm256_packs_epi32(_mm256_cmpeq_epi32(load(from), wanted), _mm256_cmpeq_epi32(load(from + 8), wanted));
      const __m256i b =
          _mm256_packs_epi32(_mm256_cmpeq_epi32(load(from + 16), wanted), _mm256_cmpeq_epi32(load(from + 24), wanted));
      // Packing goes by halves: 0-3 8-11 16-19 24-27, then the others.
      const __m256i all =
          _mm256_permutevar8x32_epi32(_mm256_packs_epi16(a, b), _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
      found |= bits(all) << (p * together);
    }
    return found;
  }
  Slots slots_at(unsigned rank_of_it) const {
    Slots found = 0;
    for (unsigned p = 0; p < Parts; ++p) found |= bits(_mm256_cmpeq_epi8(rank[p], bytes(rank_of_it))) << (p * together);
    return found;
  }
  /// The least rank of a hole, padding left out: its ranks are at least `ways`, and so is the result without a hole.
  unsigned topmost_hole() const {
    __m256i least = _mm256_xor_si256(rank[0], bytes(HoleSetLayout::hole));
    for (unsigned p = 1; p < Parts; ++p)
      least = _mm256_min_epu8(least, _mm256_xor_si256(rank[p], bytes(HoleSetLayout::hole)));
    __m128i v = _mm_min_epu8(_mm256_castsi256_si128(least), _mm256_extracti128_si256(least, 1));
    // The least of each two bytes in the lower one, then of the eight.
    v = _mm_minpos_epu16(_mm_and_si128(_mm_min_epu8(v, _mm_srli_epi16(v, 8)), _mm_set1_epi16(0xff)));
    return static_cast<unsigned>(_mm_cvtsi128_si32(v)) & 0xff;
  }
  bool has_holes(Slots used) const {
    Slots holes = 0;
    for (unsigned p = 0; p < Parts; ++p) holes |= bits(rank[p]) << (p * together);
    return (holes & used) != 0;
  }
  void rise(unsigned slot, unsigned from) {
    for (unsigned p = 0; p < Parts; ++p) {
      const __m256i below = _mm256_cmpeq_epi8(_mm256_max_epu8(rank[p], bytes(from)), rank[p]);
      const __m256i moved = _mm256_sub_epi8(rank[p], _mm256_andnot_si256(below, bytes(0xff)));
      rank[p] = _mm256_andnot_si256(_mm256_cmpeq_epi8(slots_of(p), bytes(slot)), moved);
    }
  }

  unsigned touch(std::uint32_t number, Slots used) {
    const Slots found = find(number);
    if (found != 0) {
      const auto slot = static_cast<unsigned>(__builtin_ctzll(found));
      const unsigned depth = rank_of(slot);
      if (depth == 0) return 0;
      read();
      const unsigned top = has_holes(used) ? topmost_hole() : ways;
      if (top < depth) [[unlikely]] {
        const auto filled = static_cast<unsigned>(__builtin_ctzll(slots_at(top + HoleSetLayout::hole)));
        rise(slot, top);
        write();
        kept[filled] = static_cast<std::uint8_t>(depth ^ filled);
      } else {
        rise(slot, depth);
        write();
      }
      return depth;
    }
    read();
    const unsigned top = has_holes(used) ? topmost_hole() : ways;
    const Slots at = top < ways ? slots_at(top + HoleSetLayout::hole) : slots_at(ways - 1);
    const auto slot = static_cast<unsigned>(__builtin_ctzll(at));
    numbers[slot] = number;
    rise(slot, top < ways ? top : ways - 1);
    write();
    return ways;
  }
  unsigned take(std::uint32_t number) {
    const Slots found = find(number);
    if (found == 0) return ways;
    const auto slot = static_cast<unsigned>(__builtin_ctzll(found));
    const unsigned depth = rank_of(slot);
    numbers[slot] = 0;
    kept[slot] ^= HoleSetLayout::hole;
    return depth;
  }
};

template <unsigned Parts>
unsigned touch_widely(const HoleSetLayout& layout, std::uint64_t line, std::uint32_t number, std::uint8_t* depths) {
  const std::uint64_t used = ~std::uint64_t{0} >> (64 - layout.ways);
  for (unsigned l = 0; l < layout.levels; ++l) {
    WideSet<Parts> set{layout.numbers(l, line), layout.ranks(l, line), layout.ways, {}};
    depths[l] = static_cast<std::uint8_t>(set.touch(number, used));
    if (depths[l] == 0) return l;
  }
  return layout.levels;
}

template <unsigned Parts>
void take_widely(const HoleSetLayout& layout, std::uint64_t line, std::uint32_t number, std::uint8_t* depths) {
  for (unsigned l = 0; l < layout.levels; ++l) {
    WideSet<Parts> set{layout.numbers(l, line), layout.ranks(l, line), layout.ways, {}};
    depths[l] = static_cast<std::uint8_t>(set.take(number));
  }
}

// Whatever the number of slots is.
unsigned touch_set_walk(const HoleSetLayout& layout, std::uint64_t line, std::uint32_t number, std::uint8_t* depths) {
  return layout.slots == together ? touch_widely<1>(layout, line, number, depths)
                                  : touch_widely<2>(layout, line, number, depths);
}
void take_set_walk(const HoleSetLayout& layout, std::uint64_t line, std::uint32_t number, std::uint8_t* depths) {
  layout.slots == together ? take_widely<1>(layout, line, number, depths)
                           : take_widely<2>(layout, line, number, depths);
}

}  // namespace

HoleSetWalk avx2_hole_set_walk() { return {touch_set_walk, take_set_walk}; }

}  // namespace cachescape::analyze

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

namespace cachescape::analyze {

bool hole_set_walk_has_avx2() { return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("bmi") != 0; }

}  // namespace cachescape::analyze

#else

namespace cachescape::analyze {

HoleSetWalk avx2_hole_set_walk() { return portable_hole_set_walk(); }
bool hole_set_walk_has_avx2() { return false; }

}  // namespace cachescape::analyze

#endif
