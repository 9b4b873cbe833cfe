// Coherence of caches that serve so many threads each: what every size of them keeps, loses to the others' writes and
// finds in them. docs/design/coherence.md.
//
// A directory knows who holds each line. Lines that one group alone has touched cost a look-up; only what happens
// between groups costs more. Time: that of HoleStack and HoleSets, and a look-up. Memory: 8 bytes per line, some
// hundred per line that several groups touch, and those of each group's stack. Used by one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "analyze/coherence/cache_group.hpp"
#include "analyze/coherence/coherent_counters.hpp"
#include "analyze/coherence/sharing_events.hpp"
#include "analyze/distance/last_touch.hpp"
#include "cachescape/packed_access.hpp"
#include "cachescape/profile.hpp"
#include "cachescape/strided_run.hpp"

namespace cachescape::analyze {

struct SharingOptions {
  LineSize line{6};
  std::uint32_t degree = 1;  ///< threads per group
  unsigned set_levels = 0;   ///< set counts 1, 2, 4 … that are followed; 0 = none
  unsigned ways = 16;        ///< of sets
  bool events = false;       ///< keep who takes lines from whom
};

class SharingAnalysis {
 public:
  /// Groups that can be told apart.
  static constexpr std::uint32_t most_groups = 64;

  explicit SharingAnalysis(const SharingOptions& options);

  /// All that the first group did before, from the least to the most recently touched line, and what was counted then.
  void seed(std::span<const CacheGroup::Known> lines, StackProfile stack, std::optional<SetProfile> sets);

  /// Accesses of a thread, numbered by appearance, in the order of all threads. Precondition: it belongs to one of the
  /// first most_groups groups.
  void consume(std::uint32_t thread, std::span<const PackedAccess> accesses);
  /// A loop's accesses: `trips` iterations of the body.
  void consume(std::uint32_t thread, std::uint64_t trips, std::span<const StridedAccess> body);

  void flush();
  /// Precondition: flushed.
  CoherentProfile profile() const;
  const SharingEvents& events() const { return events_; }
  const SharingOptions& options() const { return options_; }
  std::uint64_t memory_bytes() const;

 private:
  /// A group that a write has taken a line from, until it touches it again.
  struct Departure {
    std::uint32_t group = 0;
    Loss loss;
    SharingEvents::Use writer;  ///< who took it
    std::uint64_t written = 0;  ///< bytes written by others since, those of the present owner left out
  };
  /// A line that several groups have touched.
  struct Entry {
    std::uint64_t holders = 0;  ///< a bit per group
    std::uint32_t owner = 0;    ///< the group that wrote last
    bool owned = false;         ///< some group ever wrote it
    bool dirty = false;         ///< the owner's data have been seen by nobody
    std::uint64_t written = 0;  ///< by the owner, since it took the line from others
    std::vector<Departure> departures;
  };

  void touch(std::uint32_t thread, Line line, std::uint64_t bytes, AccessKind kind, std::uint32_t place);
  void access(std::uint32_t thread, Address address, std::uint32_t size, AccessKind kind, std::uint32_t place);
  void touch_shared(Entry& entry, std::uint32_t group, const CacheGroup::Touch& touch, const SharingEvents::Use& use);
  void take_from_others(Entry& entry, std::uint32_t group, const CacheGroup::Touch& touch,
                        const SharingEvents::Use& use);
  std::uint32_t& number_of(Line line);
  CacheGroup& group(std::uint32_t number);

  static constexpr std::uint64_t no_line = ~std::uint64_t{0};
  /// States of lines: 0 = never touched, `several` + index of an entry, or 2 × group + 2 + whether it was written.
  static constexpr std::uint32_t several = std::uint32_t{1} << 31;

  SharingOptions options_;
  unsigned granule_bits_;  ///< bytes per bit of a mask
  CoherentCounters counters_;
  SharingEvents events_;
  LastTouch numbers_;                  ///< of lines, from 1 on
  std::vector<std::uint32_t> states_;  ///< by number
  std::deque<Entry> entries_;
  std::vector<std::unique_ptr<CacheGroup>> groups_;
  std::optional<StackProfile> earlier_stack_;
  std::optional<SetProfile> earlier_sets_;

  std::uint32_t last_group_ = 0;
  Line last_line_{no_line};
  bool last_written_ = false;  ///< since other lines were touched, and nobody need be told of another write
};

}  // namespace cachescape::analyze
