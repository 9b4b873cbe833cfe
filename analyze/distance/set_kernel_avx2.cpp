// The set-distance kernels in AVX2. Chosen at run time, so everything below the target switch must be
// private to this file, and all library headers stand above it.
#include "analyze/distance/set_state.hpp"

#if defined(__x86_64__)

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,bmi,bmi2,popcnt"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,bmi,bmi2,popcnt")
#endif

#include "analyze/distance/set_kernel.hpp"
#include "analyze/distance/set_moves.hpp"

namespace cachescape::analyze::sets {
namespace {

// Lanes::up_to reads its masks from this at any offset.
template <class T>
struct alignas(64) Window {
  static constexpr std::size_t half = 64;
  T lane[2 * half] = {};
  constexpr Window() {
    for (std::size_t i = 0; i < half; ++i) lane[i] = static_cast<T>(~T{0});
  }
};
template <class T>
constexpr Window<T> window{};

template <class T>
struct Lanes {
  static constexpr unsigned count = 32 / sizeof(T);

  static __m256i all(T x) {
    if constexpr (sizeof(T) == 2) return _mm256_set1_epi16(static_cast<short>(x));
    if constexpr (sizeof(T) == 4) return _mm256_set1_epi32(static_cast<int>(x));
    if constexpr (sizeof(T) == 8) return _mm256_set1_epi64x(static_cast<long long>(x));
  }
  static __m256i equal(__m256i a, __m256i b) {
    if constexpr (sizeof(T) == 2) return _mm256_cmpeq_epi16(a, b);
    if constexpr (sizeof(T) == 4) return _mm256_cmpeq_epi32(a, b);
    if constexpr (sizeof(T) == 8) return _mm256_cmpeq_epi64(a, b);
  }
  /// Lanes moved up by one; the last lane of `before` comes in at the bottom.
  static __m256i shifted(__m256i before, __m256i v) {
    const __m256i low = _mm256_permute2x128_si256(before, v, 0x21);
    return _mm256_alignr_epi8(v, low, 16 - sizeof(T));
  }
  /// Ones in those lanes that, counted from `first` on, are 0 … last; first and last at most 32.
  [[gnu::always_inline]] static __m256i up_to(std::size_t last, std::size_t first) {
    const T* const lanes = window<T>.lane + (Window<T>::half - 1 + first) - last;
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(lanes));
  }
};

struct Avx2Ops {
  static unsigned ones(std::uint32_t mask) { return static_cast<unsigned>(_mm_popcnt_u32(mask)); }
  static unsigned ones(std::uint64_t mask) { return static_cast<unsigned>(_mm_popcnt_u64(mask)); }

  /// A line's tag in all lanes, whole and as the levels with 16-bit tags hold it.
  template <class Tag>
  class Key {
   public:
    explicit Key(Tag x) : x_(x), whole_(Lanes<Tag>::all(x)), wide_(_mm256_set1_epi64x(static_cast<long long>(x))) {}
    [[gnu::always_inline]] __m256i whole() const { return whole_; }
    [[gnu::always_inline]] __m256i fine(unsigned level) const {
      return Lanes<std::uint16_t>::all(static_cast<std::uint16_t>(x_ >> level));
    }
    template <unsigned Level>
    [[gnu::always_inline]] __m256i fine() const {
      return _mm256_broadcastw_epi16(_mm_srli_epi64(_mm256_castsi256_si128(wide_), Level));
    }
    /// As fine, but right in the last lanes only, which are all that an insertion uses.
    template <unsigned Level>
    [[gnu::always_inline]] __m256i fine_last() const {
      return _mm256_slli_epi64(wide_, 48 - Level);
    }

   private:
    Tag x_;
    __m256i whole_;
    __m256i wide_;
  };

  template <class T, unsigned Ways>
  struct Set {
    using L = Lanes<T>;
    static constexpr unsigned vectors = Ways / L::count;

    /// Position of x, after which x is first; Ways where it was absent. Without branches on the position.
    [[gnu::always_inline]] static unsigned touch(T* set, __m256i key) {
      auto* const memory = reinterpret_cast<__m256i*>(set);
      __m256i v[vectors];
      for (unsigned j = 0; j < vectors; ++j) v[j] = _mm256_load_si256(memory + j);
      const unsigned d = position(v, key);
      if (d == 0) return 0;
      for (unsigned j = 0; j < vectors; ++j) {
        const __m256i moved = L::shifted(j == 0 ? key : v[j - 1], v[j]);
        const __m256i changed = L::up_to(d, j * L::count);
        _mm256_store_si256(memory + j, _mm256_blendv_epi8(v[j], moved, changed));
      }
      return d;
    }
    /// Moves the tag at one place to a later one, both among the first eight.
    [[gnu::always_inline]] static void move_back(T* set, unsigned from, unsigned to) {
      move_tag_back<Avx2Ops>(set, from, to);
    }
    [[gnu::always_inline]] static void insert(T* set, __m256i key) {
      auto* const memory = reinterpret_cast<__m256i*>(set);
      __m256i before = key;
      for (unsigned j = 0; j < vectors; ++j) {
        const __m256i v = _mm256_load_si256(memory + j);
        _mm256_store_si256(memory + j, L::shifted(before, v));
        before = v;
      }
    }
    [[gnu::always_inline]] static bool absent(const T* set, __m256i key) {
      const auto* const memory = reinterpret_cast<const __m256i*>(set);
      __m256i found = _mm256_setzero_si256();
      for (unsigned j = 0; j < vectors; ++j)
        found = _mm256_or_si256(found, L::equal(_mm256_load_si256(memory + j), key));
      return _mm256_testz_si256(found, found) != 0;
    }

   private:
    [[gnu::always_inline]] static unsigned position(const __m256i* v, __m256i key) {
      if constexpr (sizeof(T) == 2) {
        const auto low = static_cast<std::uint32_t>(_mm256_movemask_epi8(L::equal(v[0], key)));
        if constexpr (vectors == 1) return _tzcnt_u32(low) / 2;
        const auto high = static_cast<std::uint32_t>(_mm256_movemask_epi8(L::equal(v[vectors - 1], key)));
        return static_cast<unsigned>(_tzcnt_u64(std::uint64_t{high} << 32 | low)) / 2;
      } else {
        static_assert(Ways <= 32);
        std::uint64_t bits = std::uint64_t{1} << Ways;
        for (unsigned j = 0; j < vectors; ++j) bits |= std::uint64_t{mask(L::equal(v[j], key))} << (L::count * j);
        return static_cast<unsigned>(_tzcnt_u64(bits));
      }
    }
    [[gnu::always_inline]] static std::uint32_t mask(__m256i equal) {
      if constexpr (sizeof(T) == 4) return static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(equal)));
      return static_cast<std::uint32_t>(_mm256_movemask_pd(_mm256_castsi256_pd(equal)));
    }
  };
};

}  // namespace

Kernels avx2_kernels(unsigned capacity) {
  return capacity == 16 ? kernels_with<Avx2Ops, 16>() : kernels_with<Avx2Ops, 32>();
}

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

}  // namespace cachescape::analyze::sets

#else

namespace cachescape::analyze::sets {

Kernels avx2_kernels(unsigned capacity) { return portable_kernels(capacity); }

}  // namespace cachescape::analyze::sets

#endif
