// A seed: a short synthetic trace that behaves like a workload, from which longer ones and larger ones are made.
#pragma once

#include <cstdint>
#include <vector>

#include "cachescape/access.hpp"
#include "product/signature/signature.hpp"

namespace cachescape::synth {

struct Seed {
  std::vector<signature::Signature> targets;  ///< what it was made from, one for each phase
  std::uint32_t word = 4;                     ///< bytes that each reference reads or writes: 4 or 8
  /// No word is referenced twice, so that an array of next words can hold the trace.
  bool unique = false;
  std::vector<std::uint32_t> words;      ///< referenced, in order, as indices into the working set
  std::vector<AccessKind> kinds;         ///< by reference; empty = all read
  std::vector<std::uint8_t> threads;     ///< by reference; empty = one thread
  std::uint64_t working_set = 0;         ///< bytes, whole blocks of 512; words × word is less
  std::uint64_t least_replications = 1;  ///< over disjoint memory, before it may begin again where it began

  friend bool operator==(const Seed&, const Seed&) = default;
};

}  // namespace cachescape::synth
