// What happened (simulated) or will happen (predicted) in a cache hierarchy. One shape for both, so
// that every product prints, compares and exports them alike.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cachescape/quantity.hpp"

namespace cachescape {

/// Why accesses missed. Each miss is in exactly one class; docs/design/simulator.md defines them.
struct MissClasses {
  std::uint64_t cold = 0;           ///< first request for the line at this cache
  std::uint64_t capacity = 0;       ///< a fully associative LRU cache of the same size misses too
  std::uint64_t conflict = 0;       ///< a fully associative LRU cache of the same size hits
  std::uint64_t true_sharing = 0;   ///< invalidated by a peer, which wrote bytes that are used here
  std::uint64_t false_sharing = 0;  ///< invalidated by a peer, which wrote only other bytes of the line
  std::uint64_t inclusion = 0;      ///< removed because an inclusive outer level evicted it

  constexpr std::uint64_t coherence() const { return true_sharing + false_sharing; }
  constexpr std::uint64_t total() const { return cold + capacity + conflict + coherence() + inclusion; }
  constexpr MissClasses& operator+=(const MissClasses& o) {
    cold += o.cold;
    capacity += o.capacity;
    conflict += o.conflict;
    true_sharing += o.true_sharing;
    false_sharing += o.false_sharing;
    inclusion += o.inclusion;
    return *this;
  }
  friend constexpr bool operator==(const MissClasses&, const MissClasses&) = default;
};

/// Requests of one kind at one level.
struct Tally {
  std::uint64_t accesses = 0;
  std::uint64_t misses = 0;
  MissClasses classes;  ///< all zero where classification is switched off

  constexpr std::uint64_t hits() const { return accesses - misses; }
  constexpr Tally& operator+=(const Tally& o) {
    accesses += o.accesses;
    misses += o.misses;
    classes += o.classes;
    return *this;
  }
  friend constexpr bool operator==(const Tally&, const Tally&) = default;
};

/// One level, all its instances added up.
struct LevelOutcome {
  std::string name;
  std::uint64_t instances = 1;
  Tally reads;                      ///< loads and read-modify-writes
  Tally writes;                     ///< stores
  std::uint64_t write_backs = 0;    ///< lines or write-throughs sent on to the next level because they were written
  std::uint64_t upgrades = 0;       ///< writes that hit but had to ask for ownership first
  std::uint64_t invalidations = 0;  ///< lines lost to a peer's write
  std::uint64_t remote_hits = 0;    ///< misses that found the line modified in a peer
  Bytes bytes_in;                   ///< fetched from the next level (or memory)
  Bytes bytes_out;                  ///< written to the next level (or memory)

  Tally total() const {
    Tally t = reads;
    t += writes;
    return t;
  }
  friend bool operator==(const LevelOutcome&, const LevelOutcome&) = default;
};

/// A whole hierarchy, nearest level first.
struct HierarchyOutcome {
  std::uint64_t accesses = 0;  ///< dynamic accesses consumed (an access may make several touches)
  std::uint64_t threads = 0;
  std::uint64_t cores = 0;
  bool classified = false;  ///< whether miss classes were told apart
  std::vector<LevelOutcome> levels;

  friend bool operator==(const HierarchyOutcome&, const HierarchyOutcome&) = default;
};

}  // namespace cachescape
