// The caches of one group of threads, one of every size, among those of other groups that take lines from them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "analyze/coherence/coherent_counters.hpp"
#include "analyze/coherence/hole_sets.hpp"
#include "analyze/coherence/hole_stack.hpp"
#include "analyze/distance/write_epochs.hpp"

namespace cachescape::analyze {

/// Lines have numbers from 1 on, given in the order in which they first appear. Used by one thread at a time.
class CacheGroup {
 public:
  /// Counts into `counters`, which must outlive it; sets are followed where those have levels.
  explicit CacheGroup(CoherentCounters& counters);

  struct Touch {
    Line line;
    std::uint32_t number = 0;
    AccessKind kind = AccessKind::read;
    bool taken = false;    ///< another group has taken the line: that has been counted
    bool shared = false;   ///< other groups hold the line
    bool written = false;  ///< the group has written it since it came, and nobody else has seen it since
  };
  void touch(const Touch& touch) {
    pending_[count_++] = touch;
    if (count_ == capacity) flush();
  }
  /// One more touch of the line touched last, which nobody else has touched since. Not its first write.
  void again(AccessKind kind) { ++again_[static_cast<std::size_t>(kind)]; }

  /// Takes a line away. Precondition: the group has it.
  Loss take(Line line, std::uint32_t number);
  /// Others touch what the group has written: it is written back. Caches of more lines than the result had it until
  /// now.
  std::uint32_t clean(std::uint32_t number);

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
  const std::optional<HoleSets>& sets() const { return sets_; }
  std::uint64_t memory_bytes() const;

 private:
  static constexpr std::size_t capacity = 1024;

  void count(const Touch& touch, std::uint32_t depth);

  CoherentCounters& counters_;
  HoleStack stack_;
  std::optional<HoleSets> sets_;
  WriteEpochs epochs_;
  KindCounts again_{};

  std::size_t count_ = 0;
  std::array<Touch, capacity> pending_;
  std::array<Line, capacity> lines_;
  std::array<std::uint32_t, capacity> depths_;
};

}  // namespace cachescape::analyze
