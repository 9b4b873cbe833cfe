// The sets of one group's caches among those of others that take lines from them.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "analyze/coherence/coherent_counters.hpp"
#include "analyze/coherence/hole_sets.hpp"
#include "analyze/coherence/recent_lines.hpp"

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
  /// A touch of one of the few lines touched last; `since` are those touched since. They are above everything else in
  /// their sets, so that how deep the line is follows from which of them it shares sets with: those whose numbers end
  /// in the same bits. That their order has changed reorder() will tell.
  void touch_recent(Line line, std::span<const Line> since, AccessKind kind, std::uint64_t times) {
    std::array<unsigned, most_recent> shared;  // the finest division in which sets are shared, greatest first
    for (std::size_t i = 0; i < since.size(); ++i) {
      auto finest = std::min(static_cast<unsigned>(std::countr_zero(line.value ^ since[i].value)), sets_.levels() - 1);
      for (std::size_t j = 0; j < i; ++j)
        if (shared[j] < finest) std::swap(shared[j], finest);
      shared[i] = finest;
    }
    RecentTouches& touches = recent_[static_cast<std::size_t>(kind)];
    touches.all += times;
    for (std::size_t i = 0; i < since.size(); ++i) touches.shared[i][shared[i]] += times;
  }
  /// Recent lines have been touched in another order than before: to be called with each of them, the one touched last
  /// at the end, before another line comes to them or one leaves.
  void reorder(Line line, std::uint32_t number) { push({line, number, AccessKind::read, What::reorder, std::nullopt}); }
  /// More touches of the line touched last.
  void again(AccessKind kind, std::uint64_t times) { sets_.again(kind, times); }
  void take(Line line, std::uint32_t number) { push({line, number, AccessKind::read, What::take, std::nullopt}); }

  void flush();
  /// Precondition: flushed. Touches of lines at each depth below the number of ways, by kind.
  std::array<std::vector<std::uint64_t>, access_kinds> hits(unsigned level) const;
  std::uint64_t memory_bytes() const;

 private:
  static constexpr std::size_t capacity = 1024;
  static constexpr std::size_t most_recent = RecentLines::slots - 1;
  enum class What : std::uint8_t { touch, reorder, take };
  struct Event {
    Line line;
    std::uint32_t number = 0;
    AccessKind kind = AccessKind::read;
    What what = What::touch;
    std::optional<SharingKind> lost;
  };
  struct RecentTouches {
    std::uint64_t all = 0;
    /// Those with more than so many recent lines above them, by the finest division in which they are.
    std::array<std::array<std::uint64_t, HoleSetLayout::most_levels>, most_recent> shared{};
  };
  void push(const Event& event) {
    pending_[count_++] = event;
    if (count_ == capacity) flush();
  }

  CoherentCounters& counters_;
  HoleSets sets_;
  boost::unordered_flat_map<std::uint32_t, HoleSets::Depths> losses_;  ///< by line, until it is touched again
  std::array<RecentTouches, access_kinds> recent_{};
  std::size_t count_ = 0;
  std::array<Event, capacity> pending_;
};

}  // namespace cachescape::analyze
