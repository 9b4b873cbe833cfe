// The front's kernel for processors with AVX2. Compiled for them, so nothing but avx2_front() may leave here.
#include "analyze/distance/front_kernel.hpp"

#if defined(__x86_64__)

#include <immintrin.h>

namespace cachescape::analyze {
namespace {

struct LaneMasks {
  alignas(32) std::uint32_t wide[FrontState::lanes][FrontState::lanes] = {};
  alignas(16) std::uint16_t narrow[FrontState::lanes][FrontState::lanes] = {};
  /// Shuffles that bring the byte at a position to the front.
  alignas(16) std::uint8_t to_front[FrontState::lanes][16] = {};

  constexpr LaneMasks() {
    for (unsigned i = 0; i < FrontState::lanes; ++i) {
      wide[i][i] = ~std::uint32_t{0};
      narrow[i][i] = 0xffff;
      for (unsigned j = 0; j < 16; ++j) {
        const unsigned from = j == 0 ? i : j <= i ? j - 1 : j;
        to_front[i][j] = static_cast<std::uint8_t>(j < FrontState::lanes ? from : 0x80);
      }
    }
  }
};
constexpr LaneMasks masks;

// The eight lanes in registers. A near touch changes times and order only, by operations that hang on its lane and not
// on the touch before: touches overlap.
class Avx2Lanes {
 public:
  [[gnu::always_inline]] explicit Avx2Lanes(const FrontState& s)
      : low_(_mm256_load_si256(reinterpret_cast<const __m256i*>(s.low))),
        touched_(load16(s.touched)),
        entered_(load16(s.entered)),
        order_(load16(s.order)),
        level_bits_(_mm256_set1_epi32((2 << s.max_level) - 1)) {}
  [[gnu::always_inline]] void save(FrontState& s) const {
    _mm256_store_si256(reinterpret_cast<__m256i*>(s.low), low_);
    store16(s.touched, touched_);
    store16(s.entered, entered_);
    store16(s.order, order_);
  }

  [[gnu::always_inline]] std::uint32_t match(const FrontState&, std::uint32_t low) const {
    const __m256i equal = _mm256_cmpeq_epi32(low_, _mm256_set1_epi32(static_cast<int>(low)));
    return static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(equal)));
  }
  [[gnu::always_inline]] unsigned later(const FrontState& s, unsigned lane) {
    later_ = _mm_cmpgt_epi16(touched_, _mm_set1_epi16(static_cast<short>(s.touched[lane])));
    return static_cast<unsigned>(_mm_popcnt_u32(static_cast<std::uint32_t>(_mm_movemask_epi8(later_)))) / 2;
  }
  [[gnu::always_inline]] std::uint64_t agreement(const FrontState&, std::uint32_t low) const {
    return bytes(_mm_and_si128(levels(low), later_), order_);
  }
  [[gnu::always_inline]] void raise(FrontState& s, unsigned lane, unsigned distance, std::uint16_t now) {
    touched_ = put(touched_, lane, now);
    order_ = _mm_shuffle_epi8(order_, load16(masks.to_front[distance]));
    s.touched[lane] = now;
  }
  [[gnu::always_inline]] unsigned earliest(const FrontState&) const {
    return static_cast<unsigned>(_mm_extract_epi8(order_, FrontState::lanes - 1));
  }
  [[gnu::always_inline]] std::uint64_t demotion(const FrontState& s, unsigned lane) const {
    const __m128i shared =
        _mm_andnot_si128(load16(masks.narrow[lane]), levels(static_cast<std::uint32_t>(s.line[lane])));
    const __m128i before = _mm_cmplt_epi16(entered_, _mm_set1_epi16(static_cast<short>(s.entered[lane])));
    const __m128i needed =
        _mm_cmpgt_epi16(_mm_and_si128(shared, before), _mm_set1_epi16(static_cast<short>(s.first_level)));
    if (_mm_testz_si128(needed, needed) != 0) return 0;
    const __m128i marked = _mm_or_si128(shared, _mm_and_si128(before, _mm_set1_epi16(0x80)));
    return static_cast<std::uint64_t>(_mm_cvtsi128_si64(_mm_packus_epi16(marked, marked)));
  }
  [[gnu::always_inline]] void enter(FrontState& s, unsigned lane, std::uint32_t low, std::uint16_t now) {
    const __m256i mask = _mm256_load_si256(reinterpret_cast<const __m256i*>(masks.wide[lane]));
    low_ = _mm256_blendv_epi8(low_, _mm256_set1_epi32(static_cast<int>(low)), mask);
    entered_ = put(entered_, lane, now);
    s.entered[lane] = now;
    raise(s, lane, FrontState::lanes - 1, now);
  }

 private:
  [[gnu::always_inline]] static __m128i load16(const void* p) { return _mm_load_si128(static_cast<const __m128i*>(p)); }
  [[gnu::always_inline]] static void store16(void* p, __m128i v) { _mm_store_si128(static_cast<__m128i*>(p), v); }
  [[gnu::always_inline]] static __m128i put(__m128i v, unsigned lane, std::uint16_t x) {
    return _mm_blendv_epi8(v, _mm_set1_epi16(static_cast<short>(x)), load16(masks.narrow[lane]));
  }
  [[gnu::always_inline]] static std::uint64_t bytes(__m128i words, __m128i order) {
    return static_cast<std::uint64_t>(_mm_cvtsi128_si64(_mm_shuffle_epi8(_mm_packus_epi16(words, words), order)));
  }
  /// From level 0 on, at which a line and those of the lanes fall into one set. The lowest bit in which they differ and
  /// those below are 2^n − 1 for n levels; one more is a power of two, whose logarithm is a float's exponent.
  [[gnu::always_inline]] __m128i levels(std::uint32_t low) const {
    const __m256i one = _mm256_set1_epi32(1);
    const __m256i difference = _mm256_xor_si256(low_, _mm256_set1_epi32(static_cast<int>(low)));
    const __m256i agreed =
        _mm256_and_si256(_mm256_xor_si256(difference, _mm256_sub_epi32(difference, one)), level_bits_);
    const __m256i power = _mm256_castps_si256(_mm256_cvtepi32_ps(_mm256_add_epi32(agreed, one)));
    const __m256i log2 = _mm256_sub_epi32(_mm256_srli_epi32(power, 23), _mm256_set1_epi32(127));
    return _mm_packus_epi32(_mm256_castsi256_si128(log2), _mm256_extracti128_si256(log2, 1));
  }

  __m256i low_;
  __m128i touched_;
  __m128i entered_;
  __m128i order_;
  __m256i level_bits_;
  __m128i later_ = _mm_setzero_si128();
};

}  // namespace

FrontKernels avx2_front() { return {&FrontEntry<Avx2Lanes>::accesses, &FrontEntry<Avx2Lanes>::touches}; }

}  // namespace cachescape::analyze

#else

namespace cachescape::analyze {

FrontKernels avx2_front() { return portable_front(); }

}  // namespace cachescape::analyze

#endif
