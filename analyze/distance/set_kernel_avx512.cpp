// The set-distance kernels in AVX-512: sixteen tags of 32 bits are one register, and masks take the place of compared
// lanes and of tables. Chosen at run time, so everything below the target switch must be private to this file, and all
// library headers stand above it.
#include "analyze/distance/set_state.hpp"

#if defined(__x86_64__)

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,avx512f,avx512bw,avx512vl,avx512vbmi,bmi,bmi2,popcnt"))), \
                             apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,avx512f,avx512bw,avx512vl,avx512vbmi,bmi,bmi2,popcnt")
#endif

#include "analyze/distance/set_kernel.hpp"
#include "analyze/distance/set_moves.hpp"

namespace cachescape::analyze::sets {
namespace {

/// Byte i of a register comes from byte i − 2; the first two are never used.
struct alignas(64) TwoBytesUp {
  std::uint8_t byte[64] = {};
  constexpr TwoBytesUp() {
    for (unsigned i = 0; i < 64; ++i) byte[i] = static_cast<std::uint8_t>(i - 2);
  }
};
constexpr TwoBytesUp two_bytes_up;

struct Avx512Ops {
  static unsigned ones(std::uint32_t mask) { return static_cast<unsigned>(_mm_popcnt_u32(mask)); }
  static unsigned ones(std::uint64_t mask) { return static_cast<unsigned>(_mm_popcnt_u64(mask)); }

  /// A line's tag in all lanes, whole and as the levels with 16-bit tags hold it.
  template <class Tag>
  class Key {
   public:
    explicit Key(Tag x) : x_(x), wide_(_mm_cvtsi64_si128(static_cast<long long>(x))), whole_(all(x)) {}
    [[gnu::always_inline]] __m512i whole() const { return whole_; }
    [[gnu::always_inline]] __m512i fine(unsigned level) const {
      return _mm512_set1_epi16(static_cast<short>(x_ >> level));
    }
    template <unsigned Level>
    [[gnu::always_inline]] __m512i fine() const {
      return _mm512_broadcastw_epi16(_mm_srli_epi64(wide_, Level));
    }
    template <unsigned Level>
    [[gnu::always_inline]] __m512i fine_last() const {
      return fine<Level>();
    }

   private:
    [[gnu::always_inline]] static __m512i all(Tag x) {
      if constexpr (sizeof(Tag) == 4) {
        return _mm512_set1_epi32(static_cast<int>(x));
      } else {
        return _mm512_set1_epi64(static_cast<long long>(x));
      }
    }

    Tag x_;
    __m128i wide_;
    __m512i whole_;
  };

  template <class T, unsigned Ways>
  struct Set {
    static constexpr unsigned bytes = Ways * sizeof(T);
    static constexpr unsigned width = bytes < 64 ? bytes : 64;
    static constexpr unsigned lanes = width / sizeof(T);
    static constexpr unsigned vectors = bytes / width;
    static_assert(Ways <= 32);

    /// Position of x, after which x is first; Ways where it was absent. Without branches on the position.
    [[gnu::always_inline]] static unsigned touch(T* set, __m512i key) {
      std::uint64_t bits = std::uint64_t{1} << Ways;
      __m512i v[vectors];
      for (unsigned j = 0; j < vectors; ++j) {
        v[j] = load(set + j * lanes);
        bits |= std::uint64_t{equal(v[j], key)} << (lanes * j);
      }
      if ((bits & 1) != 0) return 0;
      const std::uint64_t changed = _blsmsk_u64(bits);
      for (unsigned j = 0; j < vectors; ++j) {
        const __m512i moved = shifted(j == 0 ? key : v[j - 1], v[j]);
        store(set + j * lanes, blend(static_cast<std::uint32_t>(changed >> (lanes * j)), v[j], moved));
      }
      return static_cast<unsigned>(_tzcnt_u64(bits));
    }
    /// Moves the tag at one place to a later one, both among the first eight.
    [[gnu::always_inline]] static void move_back(T* set, unsigned from, unsigned to) {
      move_tag_back<Avx512Ops>(set, from, to);
    }
    [[gnu::always_inline]] static void insert(T* set, __m512i key) {
      __m512i before = key;
      for (unsigned j = 0; j < vectors; ++j) {
        const __m512i v = load(set + j * lanes);
        store(set + j * lanes, shifted(before, v));
        before = v;
      }
    }
    [[gnu::always_inline]] static bool absent(const T* set, __m512i key) {
      std::uint32_t found = 0;
      for (unsigned j = 0; j < vectors; ++j) found |= equal(load(set + j * lanes), key);
      return found == 0;
    }

   private:
    [[gnu::always_inline]] static __m512i load(const T* p) {
      if constexpr (width == 32) {
        return _mm512_castsi256_si512(_mm256_load_si256(reinterpret_cast<const __m256i*>(p)));
      } else {
        return _mm512_load_si512(p);
      }
    }
    [[gnu::always_inline]] static void store(T* p, __m512i v) {
      if constexpr (width == 32) {
        _mm256_store_si256(reinterpret_cast<__m256i*>(p), _mm512_castsi512_si256(v));
      } else {
        _mm512_store_si512(p, v);
      }
    }
    [[gnu::always_inline]] static std::uint32_t equal(__m512i a, __m512i b) {
      if constexpr (width == 32) {
        return _mm256_cmpeq_epi16_mask(_mm512_castsi512_si256(a), _mm512_castsi512_si256(b));
      } else if constexpr (sizeof(T) == 2) {
        return _mm512_cmpeq_epi16_mask(a, b);
      } else if constexpr (sizeof(T) == 4) {
        return _mm512_cmpeq_epi32_mask(a, b);
      } else {
        return _mm512_cmpeq_epi64_mask(a, b);
      }
    }
    [[gnu::always_inline]] static __m512i blend(std::uint32_t mask, __m512i a, __m512i b) {
      if constexpr (width == 32) {
        return _mm512_castsi256_si512(_mm256_mask_blend_epi16(static_cast<__mmask16>(mask), _mm512_castsi512_si256(a),
                                                              _mm512_castsi512_si256(b)));
      } else if constexpr (sizeof(T) == 2) {
        return _mm512_mask_blend_epi16(mask, a, b);
      } else if constexpr (sizeof(T) == 4) {
        return _mm512_mask_blend_epi32(static_cast<__mmask16>(mask), a, b);
      } else {
        return _mm512_mask_blend_epi64(static_cast<__mmask8>(mask), a, b);
      }
    }
    /// Lanes moved up by one; the last lane of `before` comes in at the bottom. A key is the same in all lanes.
    [[gnu::always_inline]] static __m512i shifted(__m512i before, __m512i v) {
      if constexpr (width == 32) {
        const __m256i b = _mm512_castsi512_si256(before);
        const __m256i index = _mm256_load_si256(reinterpret_cast<const __m256i*>(two_bytes_up.byte));
        return _mm512_castsi256_si512(_mm256_mask_permutexvar_epi8(b, ~__mmask32{3}, index, _mm512_castsi512_si256(v)));
      } else if constexpr (sizeof(T) == 2) {
        const __m512i index = _mm512_load_si512(two_bytes_up.byte);
        const __m512i first = _mm512_alignr_epi32(v, before, 15);
        return _mm512_mask_permutexvar_epi8(_mm512_srli_epi32(first, 16), ~__mmask64{3}, index, v);
      } else if constexpr (sizeof(T) == 4) {
        return _mm512_alignr_epi32(v, before, 15);
      } else {
        return _mm512_alignr_epi64(v, before, 7);
      }
    }
  };
};

}  // namespace

Kernels avx512_kernels(unsigned capacity) {
  return capacity == 16 ? kernels_with<Avx512Ops, 16>() : kernels_with<Avx512Ops, 32>();
}

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

}  // namespace cachescape::analyze::sets

#else

namespace cachescape::analyze::sets {

Kernels avx512_kernels(unsigned capacity) { return portable_kernels(capacity); }

}  // namespace cachescape::analyze::sets

#endif
