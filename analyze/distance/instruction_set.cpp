#include "analyze/distance/instruction_set.hpp"

namespace cachescape::analyze {

bool use_avx2([[maybe_unused]] InstructionSet asked) {
#if defined(__x86_64__)
  return asked != InstructionSet::portable && __builtin_cpu_supports("avx2") != 0 &&
         __builtin_cpu_supports("bmi") != 0 && __builtin_cpu_supports("bmi2") != 0 &&
         __builtin_cpu_supports("popcnt") != 0 && __builtin_cpu_supports("lzcnt") != 0;
#else
  return false;
#endif
}

bool use_avx512([[maybe_unused]] InstructionSet asked) {
#if defined(__x86_64__)
  return asked != InstructionSet::avx2 && use_avx2(asked) && __builtin_cpu_supports("avx512f") != 0 &&
         __builtin_cpu_supports("avx512bw") != 0 && __builtin_cpu_supports("avx512vl") != 0 &&
         __builtin_cpu_supports("avx512vbmi") != 0;
#else
  return false;
#endif
}

}  // namespace cachescape::analyze
