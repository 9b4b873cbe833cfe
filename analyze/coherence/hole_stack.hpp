// The LRU stack of a cache from which others may take lines: every size at once.
//
// A line that is taken away leaves a hole: caches of every size that held it have a free place. A touch of a deeper
// line fills the topmost hole above it. Caches that end between the two have fetched the line without evicting any;
// larger ones held it all along and still have their free place, which is now where the line was. So the hole moves
// there. A line from outside fills the topmost hole for good. docs/design/coherence.md proves that a cache of C lines
// holds what is less than C deep.
//
// Lines come to the top at a time, and a bit per time tells whether a line or a hole is still there: how deep a line
// is, is the number of bits after its own. Whose time it is, the caller knows. A touch clears one bit, that of the
// topmost hole or its own, whichever is higher, and where that is the hole's the line's becomes a hole: neither moves
// anything.
//
// Time: constant per touch and a few words for the topmost hole; a renumbering that is linear in the lines after at
// least three times as many touches. Memory: about 3 bits per time. An instance belongs to one thread at a time. The
// naive twin is hole_stack_naive.hpp.
#pragma once

#include <algorithm>
#include <cstdint>

#include "analyze/coherence/hole_times.hpp"
#include "analyze/coherence/ranked_bits.hpp"

namespace cachescape::analyze {

class HoleStack {
 public:
  /// Since when a line is where it is; later ones are higher. 0 = it is not there.
  using Time = std::uint32_t;

  /// Room for so many touches at first.
  explicit HoleStack(std::uint64_t window = std::uint64_t{1} << 14);

  /// Lines and holes above a line. Precondition: it is there.
  std::uint32_t depth(Time line) const { return places_.count() - 1 - places_.rank(line); }

  /// No more lines come in before they are renumbered.
  bool full() const { return places_.full(); }
  /// A line comes to the top. Precondition: !full().
  Time enter() { return places_.append(); }
  /// A line is about to come to the top again, or, where it is not there, for the first time: makes room.
  void leave(Time line) {
    const Time hole = holes_.greatest();
    if (hole <= line) {
      if (line != 0) places_.clear(line);
      return;
    }
    places_.clear(hole);
    holes_.remove_greatest();
    if (line != 0) holes_.add(line);
  }
  /// Takes a line away. Precondition: it is there.
  void take(Time line) { holes_.add(line); }

  /// What a line's time will be after renew().
  Time renumbered(Time line) const { return places_.rank(line); }
  /// Forgets all times that nothing is left of. Every line's must be renumbered() before; `scanned` is the number of
  /// those that had to be looked at.
  void renew(std::uint64_t scanned);

  /// Brings what depth() and leave() use nearer to the processor.
  void prefetch(Time line) const {
    places_.prefetch(line);
    holes_.prefetch(line);
  }

  std::uint64_t memory_bytes() const { return places_.memory_bytes() + holes_.memory_bytes(); }

 private:
  RankedBits places_;  ///< by time; the first bit is nobody's, so that no line has time 0
  HoleTimes holes_;
};

}  // namespace cachescape::analyze
