// The same caches counted by cachegrind's definitions, for people who compare the two.
//
// Cachegrind differs from docs/design/simulator.md in what it counts, not in how a cache works: an access that
// straddles two lines is one access and misses once if either line misses; an access that misses is then looked
// up as a whole in the next level; an access longer than the shortest line is cut to it; all threads share
// one cache; write-backs do not exist.
#pragma once

#include <cstdint>
#include <vector>

#include "cachescape/access.hpp"
#include "cachescape/outcome.hpp"
#include "cachescape/result.hpp"
#include "machine/machine.hpp"
#include "simulate/cache.hpp"

namespace cachescape::simulate {

/// Used by one thread. Misses are not classified.
class AsCachegrind {
 public:
  /// Precondition: a valid machine. Error where a level is not what cachegrind has: write-back, write-allocate,
  /// non-inclusive.
  static Result<AsCachegrind> create(const machine::Machine& machine);

  void consume(const AccessBatch& batch);
  HierarchyOutcome outcome() const;

 private:
  struct LevelState {
    machine::Level config;
    Cache cache;
    LevelOutcome counts;
  };

  AsCachegrind() = default;
  static bool misses(LevelState& level, Address address, std::uint64_t size);

  std::vector<LevelState> levels_;
  std::uint64_t longest_ = 0;
  std::uint64_t accesses_ = 0;
};

}  // namespace cachescape::simulate
