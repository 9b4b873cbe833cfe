// The caches of one group of threads, one of every size, among those of other groups that take lines from them.
//
// Touches of the lines touched last are counted at once. All else waits in a queue: what happens to one group's stack
// changes no other's, and what a loss was worth only the group that had it will ask. So a group goes through hundreds
// of events at a time, and what they need from memory has come by then.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "analyze/coherence/coherent_counters.hpp"
#include "analyze/coherence/group_sets.hpp"
#include "analyze/coherence/hole_stack.hpp"
#include "analyze/coherence/line_table.hpp"
#include "analyze/coherence/ownership.hpp"
#include "analyze/coherence/recent_lines.hpp"
#include "analyze/distance/write_epochs.hpp"

namespace cachescape::analyze {

/// Lines have numbers from 1 on (line_directory.hpp). Used by one thread at a time.
class CacheGroup {
 public:
  /// Counts into `counters`, which must outlive it; sets are followed where those have levels.
  CacheGroup(std::uint32_t number, CoherentCounters& counters);

  std::uint32_t number() const { return number_; }

  /// A line among those touched last. Nobody has taken it since.
  struct Recent {
    LineRecord* record = nullptr;
    Ownership* ownership = nullptr;  ///< where it is quiet: null if nobody else has touched it
    std::uint32_t number = 0;
    bool quiet = false;         ///< it is the group's own and was written here: nobody need be told of more writes
    std::uint8_t farthest = 0;  ///< how far it has been since it came here, or was written here
  };
  static constexpr unsigned not_recent = RecentLines::slots;
  unsigned find_recent(Line line) const { return recent_.find(line.value); }
  Recent& recent(unsigned slot) { return slots_[slot]; }

  LineRecord& record(std::uint32_t number) { return lines_[number]; }

  /// Touches a recent line; counts that so many times. Precondition: it is quiet where the touch writes.
  void touch_recent(unsigned slot, AccessKind kind, std::uint64_t times = 1) {
    const unsigned place = count_recent(slot, kind, times);
    Recent& r = slots_[slot];
    const auto far = static_cast<std::uint8_t>(std::max<unsigned>(r.farthest, place));
    if (!writes(kind)) {
      r.farthest = far;
    } else {
      // Quiet lines have been written here.
      ended_near_[place][far] += times;
      r.farthest = 0;
    }
  }
  /// Writes a recent line, which is quiet from now on. `shared`: other groups held it.
  void write_recent(unsigned slot, AccessKind kind, bool shared, Ownership* ownership);

  struct Touch {
    Line line;
    std::uint32_t number = 0;
    AccessKind kind = AccessKind::read;
    std::optional<SharingKind> lost;  ///< another group has taken the line, and this is the first touch since
    bool shared = false;              ///< other groups hold the line
    Ownership* ownership = nullptr;   ///< where it writes: null if nobody else has touched it
  };
  /// Touches a line that is not recent, with its record.
  void touch(const Touch& touch, LineRecord& record);

  /// What has happened to the group so far beside touches of recent lines.
  std::uint64_t events() const { return events_; }
  /// Lines that touch() was called for since this was last asked.
  std::size_t take_arrivals() { return std::exchange(arrivals_, 0); }

  /// Takes a line away. Precondition: the group has it.
  void take(Line line, std::uint32_t number);
  /// Others touch what the group has written: it is written back.
  void clean(Line line, std::uint32_t number);

  /// Makes the state that of a group that has touched these lines in this order. Nothing is counted.
  struct Known {
    Line line;
    std::uint32_t number = 0;
    /// Greatest depth since it was written; WriteEpochs::no_epoch where it was not.
    std::uint32_t greatest = WriteEpochs::no_epoch;
  };
  void seed(std::span<const Known> lines);

  void flush();
  /// Counts what is only known at the end. Precondition: flushed.
  void finish(CoherentCounters& counters) const;
  const std::optional<GroupSets>& sets() const { return sets_; }
  std::uint64_t memory_bytes() const;

 private:
  static constexpr std::size_t capacity = 512;

  enum class What : std::uint8_t {
    touch,  ///< a line comes to the recent ones, and the oldest of them, if there are four, leaves
    leave,  ///< the oldest of the recent lines leaves
    write,  ///< a recent line is written for the first time since it came
    take,
    clean,
  };
  struct Event {
    LineRecord* line = nullptr;
    LineRecord* leaving = nullptr;
    What what = What::touch;
    AccessKind kind = AccessKind::read;
    std::uint8_t above = 0;     ///< recent lines above it
    std::uint8_t farthest = 0;  ///< of what leaves, or is written
    bool shared = false;
    bool own = false;
    std::optional<SharingKind> lost;
  };

  Event& push() {
    if (count_ == capacity) settle();
    ++events_;
    return pending_[count_++] = Event{};
  }
  unsigned count_recent(unsigned slot, AccessKind kind, std::uint64_t times) {
    const unsigned place = recent_.touch(slot);
    kept_near_[static_cast<std::size_t>(kind)][place] += times;
    if (sets_ && place > 0) count_in_sets(place, kind, times);
    return place;
  }
  void count_in_sets(unsigned place, AccessKind kind, std::uint64_t times);
  void reorder_sets();
  /// All recent lines leave, the oldest first.
  void leave_all();
  void settle();
  void follow();
  void enter(LineRecord& line);
  void renumber();
  void prefetch_counts(const Event& e, std::uint32_t depth) const;
  void count(const Event& e, std::uint32_t depth);
  void count_write(const Event& e, std::uint32_t depth, std::uint32_t greatest);
  void settle_near();

  std::uint32_t number_;
  CoherentCounters& counters_;
  LineTable lines_;
  HoleStack stack_;
  std::optional<GroupSets> sets_;

  RecentLines recent_;
  std::array<Recent, RecentLines::slots> slots_;
  std::size_t arrivals_ = 0;
  std::uint64_t events_ = 0;
  unsigned reordered_ = 0;  ///< recent lines whose order the sets do not know, less one
  using NearCounts = std::array<std::uint64_t, RecentLines::slots>;
  std::array<NearCounts, access_kinds> kept_near_{};         ///< by kind and place
  std::array<NearCounts, RecentLines::slots> ended_near_{};  ///< writes by place and how far the line had been

  std::size_t count_ = 0;
  std::array<Event, capacity> pending_;
  std::array<std::uint32_t, capacity> depths_;
};

}  // namespace cachescape::analyze
