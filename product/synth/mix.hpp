// Which references write, and which thread makes them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cachescape/access.hpp"
#include "product/signature/signature.hpp"
#include "product/synth/generator.hpp"
#include "product/synth/random.hpp"

namespace cachescape::synth {

struct Mix {
  std::vector<AccessKind> kinds;
  std::vector<std::uint8_t> threads;
};

/// In every bin of distances as many references write as in the program, and as many are to a block that another thread
/// touched last. Precondition: at most 256 threads.
Mix mix(std::span<const Reference> references, const signature::Detail& detail, Random& random);

}  // namespace cachescape::synth
