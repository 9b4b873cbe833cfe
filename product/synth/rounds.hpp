// A short trace made long: the same references again and again, on memory that is chosen anew each time.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "product/synth/achieved.hpp"
#include "product/synth/aim.hpp"
#include "product/synth/generator.hpp"
#include "product/synth/placement.hpp"

namespace cachescape::synth {

/// References whose words are where they shall be: nothing is left to turn over.
struct Rounds {
  std::vector<Reference> references;
  Placement placement;
  Achieved achieved;
};

/// Makes a round `count` times. Within a round every distance stays as it was made. Where a round touches a block for
/// the first time, it takes one that has no part in this round yet and lies in the same sets of first-level caches: one
/// that took this part in a round before, any other, or a new one, whichever's lines lie as far back as is wanted most.
/// So distances that would need a long trace are made from a short one.
Rounds make_rounds(const std::vector<Reference>& round, const Placement& placement, const Aim& aim, std::uint64_t count,
                   Random& random);

}  // namespace cachescape::synth
