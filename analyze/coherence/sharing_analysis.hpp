// Coherence of caches that serve so many threads each: what every size of them keeps, loses to the others' writes and
// finds in them. docs/design/coherence.md.
//
// A directory knows who holds each line and decides who takes it from whom; what that does to a group's caches is left
// to the group. Touches of the few lines that a group touched last, if nobody else did, go past the directory. Time:
// that of HoleStack and HoleSets, and a look-up. Memory: that of LineDirectory, 8 bytes per line of each group, and
// that of its stack. Used by one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "analyze/coherence/cache_group.hpp"
#include "analyze/coherence/coherent_counters.hpp"
#include "analyze/coherence/line_directory.hpp"
#include "analyze/coherence/sharing_events.hpp"
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
  static constexpr std::uint32_t most_groups = LineDirectory::most_groups;

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
  /// Precondition: flushed.
  const SharingEvents& events() const { return events_; }
  const SharingOptions& options() const { return options_; }
  std::uint64_t memory_bytes() const;

 private:
  struct Access {
    std::uint32_t thread = 0;
    Address address;
    std::uint32_t size = 0;
    AccessKind kind = AccessKind::read;
    std::uint32_t place = nowhere;
    std::uint32_t number = 0;  ///< of its first line, where it is known
    std::uint64_t times = 1;   ///< it is counted; more than once only where its lines are recent and need no events
  };
  void look_ahead(CacheGroup& group, std::span<const PackedAccess> accesses, std::span<std::uint32_t> numbers);
  /// Calls visit(line, bytes) for each line of an access, with a mask of the bytes that it uses.
  template <class Visit>
  void for_lines(Address address, std::uint32_t size, Visit visit) const;
  void access(CacheGroup& group, Access access);
  /// Notes what these iterations of an access write. Precondition: its lines are recent, and need no events.
  void write_on(CacheGroup& group, const StridedAccess& access, std::uint64_t from, std::uint64_t to);
  void touch(CacheGroup& group, const Access& access, Line line, std::uint64_t bytes);
  void touch_shared(CacheGroup& group, const CacheGroup::Touch& touch, LineRecord& record,
                    const SharingEvents::Use& use);
  void write_recent(CacheGroup& group, unsigned slot, Line line, AccessKind kind, const SharingEvents::Use& use);
  void take_from(std::uint64_t groups, Line line, std::uint32_t number);
  CacheGroup& group(std::uint32_t number);

  SharingOptions options_;
  unsigned granule_bits_;  ///< bytes per bit of a mask
  CoherentCounters counters_;
  SharingEvents events_;
  LineDirectory directory_;
  std::vector<std::unique_ptr<CacheGroup>> groups_;
  std::optional<StackProfile> earlier_stack_;
  std::optional<SetProfile> earlier_sets_;
};

}  // namespace cachescape::analyze
