// A seed: a short synthetic trace that behaves like a workload, from which longer ones and larger ones are made.
#pragma once

#include <cstdint>
#include <vector>

#include "cachescape/access.hpp"
#include "product/signature/signature.hpp"

namespace cachescape::synth {

inline constexpr std::uint64_t block_bytes = 512;

/// A stretch of a seed that is made from one signature.
struct SeedPhase {
  signature::Signature target;
  std::uint64_t length = 0;   ///< references
  std::uint64_t repeats = 1;  ///< in a row on the same memory, so that a working set is used again as often as it was

  friend bool operator==(const SeedPhase&, const SeedPhase&) = default;
};

struct Seed {
  std::vector<SeedPhase> phases;  ///< lengths sum up to the number of words
  std::uint32_t word = 4;         ///< bytes that each reference reads or writes: 4 or 8
  /// No word is referenced twice, so that an array of next words can hold the trace.
  bool unique = false;
  std::vector<std::uint32_t> words;      ///< referenced, in order, as indices into the working set
  std::vector<AccessKind> kinds;         ///< by reference; empty = all read
  std::vector<std::uint8_t> threads;     ///< by reference; empty = one thread
  std::uint64_t working_set = 0;         ///< bytes, whole blocks of 512; no word lies beyond
  std::uint64_t least_replications = 1;  ///< over disjoint memory, before it may begin again where it began

  friend bool operator==(const Seed&, const Seed&) = default;
};

}  // namespace cachescape::synth
