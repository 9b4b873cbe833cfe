// What write-back caches write back, for all sizes at once.
//
// A write leaves its line dirty in every cache, and it stays so in a fully associative LRU cache of C lines until it is
// evicted, which the next touch tells by a stack distance of at least C. So the data of one write, up to the next write
// of the line or the end of the stream (an epoch), are written back once if the greatest distance in the epoch, that of
// the ending write included, is at least C, and otherwise never. Where the stream ends the epoch, the number of
// distinct lines touched after the line counts as a distance too: an evicted line was written back, one that is still
// held was not. A histogram of the epochs' greatest distances, one entry per write, hence tells the write-backs of
// every size.
//
// Time: one look-up per touch that writes or has a distance above 0. Memory: that of LastTouch for the lines that were
// ever written. Threads: an instance belongs to one thread at a time. The naive twin is write_epochs_naive.hpp.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "analyze/distance/last_touch.hpp"
#include "analyze/distance/stack_distances.hpp"
#include "cachescape/quantity.hpp"

namespace cachescape::analyze {

class WriteEpochs {
 public:
  /// What touch() returns where no epoch ends.
  static constexpr std::uint32_t no_epoch = cold_distance;

  WriteEpochs();

  /// The stream's next touch, with its stack distance. Returns the greatest distance of the epoch that it ends, if it
  /// does. A touch that stands for repetitions of one made before (touches.hpp) ends as many epochs, all with that
  /// greatest distance.
  std::uint32_t touch(Line line, std::uint32_t distance, bool writes) {
    if (!writes) {
      if (distance == 0 || distance == cold_distance) return no_epoch;
      std::uint32_t* const known = greatest_.peek(line.value);
      if (known != nullptr && *known != 0 && *known <= distance) *known = distance + 1;
      return no_epoch;
    }
    std::uint32_t& greatest = slot(line.value);
    const std::uint32_t before = greatest;
    greatest = 1;
    if (before == 0) {
      greatest_.add_lines(1);
      return no_epoch;
    }
    return distance == cold_distance || before > distance ? before - 1 : distance;
  }

  /// Of the line's epoch so far; no_epoch where it was never written.
  std::uint32_t greatest(Line line) const {
    const std::uint32_t* const known = greatest_.peek(line.value);
    return known == nullptr || *known == 0 ? no_epoch : *known - 1;
  }
  /// Ends the line's epoch, if it has one, without a touch: its data have been written back. Returns as touch() does.
  std::uint32_t end(Line line) {
    const std::uint32_t greatest = this->greatest(line);
    if (greatest != no_epoch) *greatest_.peek(line.value) = 0;
    return greatest;
  }

  /// Brings what touch(line) will look up nearer to the processor.
  void prefetch(Line line) const { greatest_.prefetch(line.value); }

  /// Calls visit(greatest distance) for every epoch that the end of the stream would end here. `recency_order`: all
  /// lines of the stream, from the least to the most recently touched (StackDistances::recency_order).
  void for_each_open(std::span<const Line> recency_order, const std::function<void(std::uint32_t)>& visit) const;
  /// Lines that were ever written: epochs that are open.
  std::uint64_t open() const { return greatest_.lines(); }

  /// The open epochs of the lines for which keep(line) holds, with distances divided by `divisor`.
  WriteEpochs copy(const std::function<bool(Line)>& keep, std::uint32_t divisor) const;

  std::uint64_t memory_bytes() const { return greatest_.memory_bytes(); }

 private:
  std::uint32_t& slot(std::uint64_t line) {
    std::uint32_t* at = greatest_.find(line);
    if (at == nullptr) [[unlikely]] {
      greatest_.make_room(line);
      at = greatest_.find(line);
    }
    return *at;
  }

  /// 1 + the greatest distance since its last write for every line that was ever written; 0 for the others.
  LastTouch greatest_;
};

}  // namespace cachescape::analyze
