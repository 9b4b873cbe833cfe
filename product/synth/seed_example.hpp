// A small seed, for tests.
#pragma once

#include "product/synth/seed.hpp"

namespace cachescape::synth {

/// Two phases on three blocks: 0 1 128, made twice, then 256.
inline Seed seed_example() {
  Seed seed;
  seed.phases = {{{}, 3, 2}, {{}, 1, 1}};
  seed.phases[0].target.name = "first";
  seed.phases[0].target.hit_rates.fill(0.5);
  seed.phases[1].target.name = "second";
  seed.words = {0, 1, 128, 256};
  seed.kinds = {AccessKind::read, AccessKind::write, AccessKind::read, AccessKind::modify};
  seed.threads = {0, 1, 0, 2};
  seed.working_set = 3 * 512;
  seed.least_replications = 2;
  return seed;
}

}  // namespace cachescape::synth
