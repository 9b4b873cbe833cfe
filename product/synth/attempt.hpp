// One phase of a seed: the best of several attempts to meet a signature.
#pragma once

#include <cstdint>
#include <vector>

#include "product/signature/signature.hpp"
#include "product/synth/generator.hpp"
#include "product/synth/synthesize.hpp"

namespace cachescape::synth {

struct Attempt {
  std::vector<Reference> references;
  Placement placement;
  std::uint64_t blocks = 0;
  std::uint64_t repeats = 1;  ///< 0: a loop without end over the same memory
  Fit fit;
};

Attempt best_attempt(const signature::Signature& signature, const SynthesisOptions& options);

}  // namespace cachescape::synth
