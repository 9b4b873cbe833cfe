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

  /// A touch of a line that is not among the few touched last. `lost`: others have taken it, and this is the first
  /// touch since.
  void touch(Line line, std::uint32_t number, AccessKind kind, std::optional<SharingKind> lost) {
    push({line, number, kind, What::touch, lost});
  }
  /// A touch of one of the few lines touched last.
  void touch_recent(Line line, std::uint32_t number, AccessKind kind) {
    push({line, number, kind, What::touch_recent, std::nullopt});
  }
  /// More touches of the line touched last.
  void again(AccessKind kind, std::uint64_t times) { sets_.again(kind, times); }
  void take(Line line, std::uint32_t number) { push({line, number, AccessKind::read, What::take, std::nullopt}); }

  void flush();
  /// Precondition: flushed.
  const HoleSets& sets() const { return sets_; }
  std::uint64_t memory_bytes() const;

 private:
  static constexpr std::size_t capacity = 1024;
  enum class What : std::uint8_t { touch, touch_recent, take };
  struct Event {
    Line line;
    std::uint32_t number = 0;
    AccessKind kind = AccessKind::read;
    What what = What::touch;
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
