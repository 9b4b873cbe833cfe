// References that fall anywhere: what the signature of random accesses leaves open.
#pragma once

#include "product/synth/seed.hpp"

namespace cachescape::proxy {

/// A seed whose blocks are each visited once, one after the other, as one that no prefetcher follows and that uses all
/// 64-byte lines of its memory: its blocks in random places, visited in eight rounds of the same order, each time in
/// another line of the block and always in the other half of every part than the last time. Block distances stay what
/// they were, or become the number of blocks; no word is referenced twice. `words` × 8 references.
synth::Seed scattered(const synth::Seed& seed);

}  // namespace cachescape::proxy
