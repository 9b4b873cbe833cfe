// The stack-distance kernel for processors with AVX2. Compiled for them, so nothing but advance_avx2() may leave here.
#include <immintrin.h>

#include "analyze/distance/stack_kernel.hpp"
#include "analyze/distance/stack_sweep_kernel.hpp"

namespace cachescape::analyze {

namespace {

// Read from 63 - i on, 64 elements: all ones for those after the i-th, else zero.
template <class T>
struct AfterMask {
  alignas(64) T element[128] = {};
  constexpr AfterMask() {
    for (unsigned i = 64; i < 128; ++i) element[i] = static_cast<T>(~T{0});
  }
};
constexpr AfterMask<std::uint8_t> after_mask8;
constexpr AfterMask<std::uint16_t> after_mask16;

// Row i: all ones for the elements after the i-th of eight.
struct EarlierMask {
  alignas(32) std::uint32_t row[8][8] = {};
  constexpr EarlierMask() {
    for (unsigned i = 0; i < 8; ++i)
      for (unsigned j = i + 1; j < 8; ++j) row[i][j] = ~std::uint32_t{0};
  }
};
constexpr EarlierMask earlier_mask;

struct Avx2 {
  static __m256i aligned(const void* p) { return _mm256_load_si256(static_cast<const __m256i*>(p)); }
  static __m256i unaligned(const void* p) { return _mm256_loadu_si256(static_cast<const __m256i*>(p)); }
  static __m256i masked(const void* p, const void* mask) { return _mm256_and_si256(aligned(p), unaligned(mask)); }

  static std::uint32_t sum8(__m256i v) {
    __m128i s = _mm_add_epi32(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
    s = _mm_add_epi32(s, _mm_shuffle_epi32(s, 0x4e));
    s = _mm_add_epi32(s, _mm_shuffle_epi32(s, 0xb1));
    return static_cast<std::uint32_t>(_mm_cvtsi128_si32(s));
  }

  static std::uint32_t popcount(std::uint64_t bits) { return static_cast<std::uint32_t>(_mm_popcnt_u64(bits)); }

  // AVX2 compares signed numbers only: with the top bit flipped they order as the unsigned ones do.
  static __m256i ordered(__m256i times) { return _mm256_xor_si256(times, _mm256_set1_epi32(INT32_MIN)); }

  // Pads `times` to whole vectors, and one element more, with the greatest time.
  static void pad(std::uint32_t* times, unsigned size) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(times + size), _mm256_set1_epi32(-1));
  }

  static bool ascending(std::uint32_t* times, unsigned size) {
    pad(times, size);
    __m256i descents = _mm256_setzero_si256();
    for (unsigned i = 0; i < size; i += 8)
      descents =
          _mm256_or_si256(descents, _mm256_cmpgt_epi32(ordered(aligned(times + i)), ordered(unaligned(times + i + 1))));
    return _mm256_testz_si256(descents, descents) != 0;
  }

  // Precondition: ascending() has padded `times`.
  static void count_greater_before(const std::uint32_t* times, unsigned size, std::uint32_t* counts) {
    alignas(32) std::int32_t keys[64];
    for (unsigned i = 0; i < size; i += 8)
      _mm256_store_si256(reinterpret_cast<__m256i*>(keys + i), ordered(aligned(times + i)));
    for (unsigned i = 0; i < size; i += 8) {
      const __m256i mine = aligned(keys + i);
      __m256i even = _mm256_setzero_si256();
      __m256i odd = _mm256_setzero_si256();
      for (unsigned j = 0; j < i; j += 2) {
        even = _mm256_sub_epi32(even, _mm256_cmpgt_epi32(_mm256_set1_epi32(keys[j]), mine));
        odd = _mm256_sub_epi32(odd, _mm256_cmpgt_epi32(_mm256_set1_epi32(keys[j + 1]), mine));
      }
#pragma GCC unroll 8
      for (unsigned j = 0; j < 8; ++j) {
        const __m256i greater = _mm256_cmpgt_epi32(_mm256_set1_epi32(keys[i + j]), mine);
        even = _mm256_sub_epi32(even, _mm256_and_si256(greater, aligned(earlier_mask.row[j])));
      }
      _mm256_store_si256(reinterpret_cast<__m256i*>(counts + i), _mm256_add_epi32(even, odd));
    }
  }

  static std::uint32_t after_in_64(const std::uint8_t* leaves, std::uint32_t leaf, const std::uint16_t* groups,
                                   std::uint32_t group) {
    const std::uint8_t* const mask8 = after_mask8.element + 63 - leaf;
    const std::uint16_t* const mask16 = after_mask16.element + 63 - group;
    const __m256i zero = _mm256_setzero_si256();
    const __m256i leaf_sum = _mm256_add_epi32(_mm256_sad_epu8(masked(leaves, mask8), zero),
                                              _mm256_sad_epu8(masked(leaves + 32, mask8 + 32), zero));
    // A group holds at most 2^13, so the sum of two stays below 2^15 and a signed multiply-add is exact.
    const __m256i low = _mm256_add_epi16(masked(groups, mask16), masked(groups + 16, mask16 + 16));
    const __m256i high = _mm256_add_epi16(masked(groups + 32, mask16 + 32), masked(groups + 48, mask16 + 48));
    const __m256i one = _mm256_set1_epi16(1);
    const __m256i group_sum = _mm256_add_epi32(_mm256_madd_epi16(low, one), _mm256_madd_epi16(high, one));
    return sum8(_mm256_add_epi32(leaf_sum, group_sum));
  }

  static std::uint32_t sum(const std::uint32_t* blocks, std::uint32_t begin, std::uint32_t end) {
    __m256i total = _mm256_setzero_si256();
    std::uint32_t i = begin;
    for (; i + 8 <= end; i += 8) total = _mm256_add_epi32(total, unaligned(blocks + i));
    std::uint32_t rest = 0;
    for (; i < end; ++i) rest += blocks[i];
    return rest + sum8(total);
  }

  // Blocks after the last are zero and padded to whole vectors.
  static void sum_after(const std::uint32_t* blocks, std::uint32_t last, std::uint32_t* after) {
    const __m256i zero = _mm256_setzero_si256();
    const __m256i first = _mm256_setzero_si256();
    const __m256i down1 = _mm256_setr_epi32(1, 2, 3, 4, 5, 6, 7, 7);
    const __m256i down2 = _mm256_setr_epi32(2, 3, 4, 5, 6, 7, 7, 7);
    __m256i later = zero;  // in every element: the sum of all blocks after this vector
    for (std::uint32_t i = last / 8 * 8 + 8; i != 0;) {
      i -= 8;
      const __m256i v = aligned(blocks + i);
      __m256i s = _mm256_add_epi32(v, _mm256_blend_epi32(_mm256_permutevar8x32_epi32(v, down1), zero, 0x80));
      s = _mm256_add_epi32(s, _mm256_blend_epi32(_mm256_permutevar8x32_epi32(s, down2), zero, 0xc0));
      s = _mm256_add_epi32(s, _mm256_permute2x128_si256(s, s, 0x81));
      s = _mm256_add_epi32(s, later);
      _mm256_store_si256(reinterpret_cast<__m256i*>(after + i), _mm256_sub_epi32(s, v));
      later = _mm256_permutevar8x32_epi32(s, first);
    }
  }
};

}  // namespace

void advance_avx2(StackState& state, const Line* lines, std::size_t count, std::uint32_t* distances) {
  StackKernel<Avx2>::advance(state, lines, count, distances);
}

void enter_avx2(FarStackState& state, const Line* lines, const std::uint8_t* lanes, std::size_t count,
                std::uint32_t* distances) {
  StackKernel<Avx2>::enter(state, lines, lanes, count, distances);
}

bool sweep_avx2(FarStackState& state, const StackSweep& sweep, std::uint32_t* distances) {
  return StackSweepKernel<Avx2>::sweep(state, sweep, distances);
}

}  // namespace cachescape::analyze
