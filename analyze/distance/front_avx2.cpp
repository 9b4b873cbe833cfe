// The front's kernel for processors with AVX2. Compiled for them, so nothing but avx2_front() may leave here.
#include "analyze/distance/front_kernel.hpp"

#if defined(__x86_64__)

#include <immintrin.h>

namespace cachescape::analyze {
namespace {

struct LaneMasks {
  alignas(32) std::uint32_t wide[FrontState::lanes][FrontState::lanes] = {};
  /// A row of eight bytes among eight.
  alignas(32) std::uint64_t row[FrontState::lanes][FrontState::lanes] = {};
  /// Shuffles that bring the byte at a position to the front.
  alignas(16) std::uint8_t to_front[FrontState::lanes][16] = {};
  /// Shuffles that make a row of eight of each byte.
  alignas(32) std::uint8_t rows[FrontState::lanes * FrontState::lanes] = {};

  constexpr LaneMasks() {
    for (unsigned i = 0; i < FrontState::lanes; ++i) {
      wide[i][i] = ~std::uint32_t{0};
      row[i][i] = ~std::uint64_t{0};
      for (unsigned j = 0; j < 16; ++j) {
        const unsigned from = j == 0 ? i : j <= i ? j - 1 : j;
        to_front[i][j] = static_cast<std::uint8_t>(j < FrontState::lanes ? from : 0x80);
      }
      for (unsigned j = 0; j < FrontState::lanes; ++j) rows[FrontState::lanes * i + j] = static_cast<std::uint8_t>(i);
    }
  }
};
constexpr LaneMasks masks;

// The eight lanes in registers. A near touch changes orders only, by operations that hang on its lane and not on the
// touch before: touches overlap.
class Avx2Lanes {
 public:
  [[gnu::always_inline]] explicit Avx2Lanes(const FrontState& s)
      : touched(s.touched),
        entered(s.entered),
        low_(load32(s.low)),
        order_(load16(s.order)),
        level_bits_(_mm256_set1_epi32((2 << s.max_level) - 1)) {}
  [[gnu::always_inline]] void save(FrontState& s) const {
    s.touched = touched;
    s.entered = entered;
    store32(s.low, low_);
    _mm_store_si128(reinterpret_cast<__m128i*>(s.order), order_);
  }

  [[gnu::always_inline]] std::uint32_t match(const FrontState&, std::uint32_t low) const {
    const __m256i equal = _mm256_cmpeq_epi32(low_, _mm256_set1_epi32(static_cast<int>(low)));
    return static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(equal)));
  }
  /// The later lanes come first in the order.
  [[gnu::always_inline]] std::uint64_t agreed_with_later(const FrontState& s, unsigned lane, unsigned distance) const {
    const __m128i agreed = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(&s.agreed[lane]));
    return _bzhi_u64(static_cast<std::uint64_t>(_mm_cvtsi128_si64(_mm_shuffle_epi8(agreed, order_))), 8 * distance);
  }
  [[gnu::always_inline]] void to_front(FrontState&, unsigned distance) {
    order_ = _mm_shuffle_epi8(order_, load16(masks.to_front[distance]));
  }
  [[gnu::always_inline]] unsigned earliest(const FrontState&) const {
    return static_cast<unsigned>(_mm_extract_epi8(order_, FrontState::lanes - 1));
  }
  [[gnu::always_inline]] std::uint64_t agreed_with_all(const FrontState&, unsigned lane, std::uint32_t low) const {
    const __m128i each = levels(low);
    return static_cast<std::uint64_t>(_mm_cvtsi128_si64(_mm_packus_epi16(each, each))) &
           ~(std::uint64_t{0xff} << (8 * lane));
  }
  template <bool Sets>
  [[gnu::always_inline]] void enter(FrontState& s, unsigned lane, std::uint32_t low) {
    if constexpr (Sets) {
      const __m256i agreed = _mm256_set1_epi64x(static_cast<long long>(agreed_with_all(s, lane, low)));
      const __m256i column = _mm256_set1_epi64x(static_cast<long long>(std::uint64_t{0xff} << (8 * lane)));
      for (unsigned i = 0; i < FrontState::lanes; i += 4) {
        const __m256i by_row = _mm256_shuffle_epi8(agreed, load32(masks.rows + std::size_t{i} * FrontState::lanes));
        const __m256i with_column = _mm256_blendv_epi8(load32(s.agreed + i), by_row, column);
        store32(s.agreed + i, _mm256_blendv_epi8(with_column, agreed, load32(masks.row[lane] + i)));
      }
    }
    low_ = _mm256_blendv_epi8(low_, _mm256_set1_epi32(static_cast<int>(low)), load32(masks.wide[lane]));
  }

  LaneOrder touched;
  LaneOrder entered;

 private:
  [[gnu::always_inline]] static __m128i load16(const void* p) { return _mm_load_si128(static_cast<const __m128i*>(p)); }
  [[gnu::always_inline]] static __m256i load32(const void* p) {
    return _mm256_load_si256(static_cast<const __m256i*>(p));
  }
  [[gnu::always_inline]] static void store32(void* p, __m256i v) { _mm256_store_si256(static_cast<__m256i*>(p), v); }
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
  __m128i order_;
  __m256i level_bits_;
};

}  // namespace

FrontKernels avx2_front() { return FrontEntry<Avx2Lanes>::kernels(); }

}  // namespace cachescape::analyze

#else

namespace cachescape::analyze {

FrontKernels avx2_front() { return portable_front(); }

}  // namespace cachescape::analyze

#endif
