// Moves one of a set's first eight tags back, with AVX2. Included like set_kernel.hpp, for processors that have it.
#pragma once

#include <immintrin.h>

#include <cstdint>

namespace cachescape::analyze::sets {

/// For eight tags of two or four bytes: those after one place come one nearer, up to another place, which the one at
/// the first takes.
struct Moves {
  alignas(16) std::uint8_t byte[8][8][16] = {};
  alignas(32) std::uint32_t lane[8][8][8] = {};
  constexpr Moves() {
    for (unsigned from = 0; from < 8; ++from) {
      for (unsigned to = from; to < 8; ++to) {
        for (unsigned i = 0; i < 8; ++i) {
          const unsigned source = i == to ? from : i >= from && i < to ? i + 1 : i;
          lane[from][to][i] = source;
          byte[from][to][2 * i] = static_cast<std::uint8_t>(2 * source);
          byte[from][to][2 * i + 1] = static_cast<std::uint8_t>(2 * source + 1);
        }
      }
    }
  }
};
inline constexpr Moves moves;

/// Ops keeps the code for different processors apart.
template <class Ops, class T>
[[gnu::always_inline]] inline void move_tag_back(T* set, unsigned from, unsigned to) {
  if constexpr (sizeof(T) == 2) {
    auto* const memory = reinterpret_cast<__m128i*>(set);
    const auto* const shuffle = reinterpret_cast<const __m128i*>(moves.byte[from][to]);
    _mm_store_si128(memory, _mm_shuffle_epi8(_mm_load_si128(memory), _mm_load_si128(shuffle)));
  } else if constexpr (sizeof(T) == 4) {
    auto* const memory = reinterpret_cast<__m256i*>(set);
    const auto* const lanes = reinterpret_cast<const __m256i*>(moves.lane[from][to]);
    _mm256_store_si256(memory, _mm256_permutevar8x32_epi32(_mm256_load_si256(memory), _mm256_load_si256(lanes)));
  } else {
    const T moved = set[from];
    for (unsigned i = from; i < to; ++i) set[i] = set[i + 1];
    set[to] = moved;
  }
}

}  // namespace cachescape::analyze::sets
