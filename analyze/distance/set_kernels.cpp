#include "analyze/distance/instruction_set.hpp"
#include "analyze/distance/set_state.hpp"

namespace cachescape::analyze::sets {

Kernels kernels_on(InstructionSet fastest, unsigned capacity) {
  if (use_avx512(fastest)) return avx512_kernels(capacity);
  return use_avx2(fastest) ? avx2_kernels(capacity) : portable_kernels(capacity);
}

}  // namespace cachescape::analyze::sets
