// Which machine code does the work. All give the same numbers.
#pragma once

#include <cstdint>

namespace cachescape::analyze {

enum class InstructionSet : std::uint8_t {
  automatic,  ///< the fastest that this processor can run
  portable,
  avx2,    ///< portable where the processor lacks it
  avx512,  ///< in what has such code; AVX2 elsewhere, and where the processor lacks it
};

/// Whether AVX2, with the bit operations that come with it, is asked for and there.
bool use_avx2(InstructionSet asked);
/// Whether AVX-512 with operations on bytes is.
bool use_avx512(InstructionSet asked);

}  // namespace cachescape::analyze
