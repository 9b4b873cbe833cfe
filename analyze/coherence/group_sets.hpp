// The sets of one group's caches among those of others that take lines from them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include <boost/unordered/unordered_flat_map.hpp>

#include "analyze/coherence/coherent_counters.hpp"
#include "analyze/coherence/hole_sets.hpp"

namespace cachescape::analyze {

/// What happens is followed a batch at a time, so that one group's sets do not drive another's out of the processor's
/// caches. Used by one thread at a time.
class GroupSets {
 public:
  /// Counts losses into `counters`, which must outlive it.
  explicit GroupSets(CoherentCounters& counters) : counters_(counters), sets_(counters.levels - 1, counters.ways) {}

  /// `lost`: others have taken the line, and it is touched for the first time since.
  void touch(Line line, std::uint32_t number, AccessKind kind, std::optional<SharingKind> lost) {
    push({line, number, kind, false, lost});
  }
  /// One more touch of the line touched last.
  void again(AccessKind kind, std::uint64_t times) { sets_.again(kind, times); }
  void take(Line line, std::uint32_t number) { push({line, number, AccessKind::read, true, std::nullopt}); }

  void flush();
  /// Precondition: flushed.
  const HoleSets& sets() const { return sets_; }
  std::uint64_t memory_bytes() const;

 private:
  static constexpr std::size_t capacity = 1024;
  struct Event {
    Line line;
    std::uint32_t number = 0;
    AccessKind kind = AccessKind::read;
    bool taken = false;
    std::optional<SharingKind> lost;
  };
  void push(const Event& event) {
    pending_[count_++] = event;
    if (count_ == capacity) flush();
  }

  CoherentCounters& counters_;
  HoleSets sets_;
  boost::unordered_flat_map<std::uint32_t, HoleSets::Depths> losses_;  ///< by line, until it is touched again
  std::size_t count_ = 0;
  std::array<Event, capacity> pending_;
};

}  // namespace cachescape::analyze
