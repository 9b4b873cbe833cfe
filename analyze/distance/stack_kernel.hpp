// The stack-distance engine's inner loop, written once and compiled once per instruction set.
//
// `Isa` supplies the few operations that differ (stack_portable.cpp, stack_avx2.cpp). Every function here is a member
// of a template over it and calls nothing from the standard library: the copies for different processors must not
// share a symbol, or the linker might keep the one that the processor cannot run.
//
// Why the numbers are right: docs/design/stack-distance.md.
#pragma once

#include <cstddef>
#include <cstdint>

#include "analyze/distance/stack_distances.hpp"
#include "analyze/distance/stack_state.hpp"

namespace cachescape::analyze {

template <class Isa>
class StackKernel {
 protected:
  using W = StackWindow;

  /// Up to one word of touches that missed the front, in order.
  struct Batch {
    std::uint32_t* touched[64];   ///< time of the line touched
    std::uint32_t* leaving[64];   ///< time of the line that left the front for it and enters the window
    std::uint32_t* distance[64];  ///< where the result goes
    unsigned size = 0;
  };

  /// What a batch is entered behind.
  struct Before {
    unsigned lines;                ///< in the front
    const std::uint32_t* nobodys;  ///< time of what enters nothing when it leaves
    const std::uint32_t* never;    ///< time of lines that are not followed
  };

  /// Touches of one batch whose line was last touched before the batch's word.
  struct Far {
    alignas(32) std::uint32_t time[64 + 8];
    std::uint32_t nearer[64];  ///< lines in the front and in the open word when the touch happened
    std::uint32_t* distance[64];
    unsigned size = 0;
  };

 public:
  static void advance(StackState& state, const Line* lines, std::size_t count, std::uint32_t* distances) {
    const auto gather_next = [&](Batch& batch, unsigned room, std::size_t next) {
      return gather(state, batch, room, lines, next, count, distances);
    };
    in_batches(state, {StackFront::lines, nullptr, nullptr}, count, gather_next,
               [&](std::size_t at) { make_room(state, lines[at].value); });
  }

  static void enter(FarStackState& state, const Line* lines, const std::uint8_t* lanes, std::size_t count,
                    std::uint32_t* distances) {
    const auto gather_next = [&](Batch& batch, unsigned room, std::size_t next) {
      return gather_entering(state, batch, room, lines, lanes, next, count, distances);
    };
    in_batches(state, {FarStackState::lanes, &state.nobodys, &state.never}, count, gather_next,
               [&](std::size_t at) { make_room(state, lines[at].value); });
  }

 protected:
  /// gather_next(batch, room, next) fills a batch and returns the first line that it did not take: all are, the batch
  /// is full, or make_room(line's number) has to be called, which no batch may have pointers for.
  template <class GatherNext, class MakeRoom>
  [[gnu::always_inline]] static void in_batches(StackBody& state, const Before& before, std::size_t count,
                                                GatherNext gather_next, MakeRoom make_room) {
    // Two batches in flight: while the times of one come in from memory the other is worked on.
    Batch batches[2];
    Batch* filling = &batches[0];
    Batch* waiting = &batches[1];
    std::size_t next = 0;
    while (next < count) {
      filling->size = 0;
      const unsigned room = 64U - static_cast<unsigned>((state.now + waiting->size) % 64);
      const std::size_t stopped = gather_next(*filling, room, next);
      settle(state, *waiting, before);
      waiting->size = 0;
      if (filling->size == room || stopped == count) {
        Batch* const full = filling;
        filling = waiting;
        waiting = full;
      } else {
        settle(state, *filling, before);
        make_room(stopped);
      }
      next = stopped;
    }
    settle(state, *waiting, before);
  }

  static std::size_t gather_entering(FarStackState& state, Batch& batch, unsigned room, const Line* lines,
                                     const std::uint8_t* lanes, std::size_t next, std::size_t count,
                                     std::uint32_t* distances) {
    const bool sparse = state.last.has_sparse();
    unsigned size = 0;
    for (; next < count && size < room; ++next, ++size) {
      const std::uint64_t line = lines[next].value;
      if (sparse) prefetch_sparse(state, lines, next, count);
      std::uint32_t* touched = &state.never;
      std::uint32_t* time = &state.nobodys;
      if (!state.follows_no_more || is_known(state, line)) [[likely]] {
        time = touched = state.last.find(line);
        if (time == nullptr) [[unlikely]]
          break;
        __builtin_prefetch(time, 1);
      }
      const unsigned lane = lanes[next];
      batch.touched[size] = touched;
      batch.leaving[size] = state.time[lane];
      batch.distance[size] = distances + next;
      state.line[lane] = line;
      state.time[lane] = time;
    }
    batch.size = size;
    return next;
  }

  static bool is_known(const FarStackState& state, std::uint64_t line) {
    const std::uint32_t* const time = state.last.peek(line);
    return time != nullptr && *time != 0;
  }

  [[gnu::noinline]] static void make_room(FarStackState& state, std::uint64_t line) {
    state.last.make_room(line);
    for (unsigned i = 0; i < FarStackState::lanes; ++i)
      if (state.time[i] != &state.nobodys) state.time[i] = state.last.find(state.line[i]);
  }

  /// Serves touches from the front and collects the others, until `room` are collected, the lines end, or a line
  /// needs room that only make_room() can give. Returns the first line not served.
  static std::size_t gather(StackState& state, Batch& batch, unsigned room, const Line* lines, std::size_t next,
                            std::size_t count, std::uint32_t* distances) {
    static_assert(StackFront::lines == 4);
    StackFront& front = state.front;
    std::uint64_t l0 = front.line[0], l1 = front.line[1], l2 = front.line[2], l3 = front.line[3];
    std::uint32_t *t0 = front.time[0], *t1 = front.time[1], *t2 = front.time[2], *t3 = front.time[3];
    const bool sparse = state.last.has_sparse();
    unsigned size = 0;
    for (; next < count; ++next) {
      const std::uint64_t line = lines[next].value;
      if (line == l0) {
        distances[next] = 0;
        continue;
      }
      std::uint32_t* time;
      if (line == l1) {
        time = t1;
        distances[next] = 1;
      } else {
        if (line == l2) {
          time = t2;
          distances[next] = 2;
        } else {
          if (line == l3) {
            time = t3;
            distances[next] = 3;
          } else {
            if (size == room) break;
            if (sparse) prefetch_sparse(state, lines, next, count);
            time = state.last.find(line);
            if (time == nullptr) [[unlikely]]
              break;
            __builtin_prefetch(time, 1);
            batch.touched[size] = time;
            batch.leaving[size] = t3;
            batch.distance[size] = distances + next;
            ++size;
          }
          l3 = l2, t3 = t2;
        }
        l2 = l1, t2 = t1;
      }
      l1 = l0, t1 = t0;
      l0 = line, t0 = time;
    }
    batch.size = size;
    front.line[0] = l0, front.line[1] = l1, front.line[2] = l2, front.line[3] = l3;
    front.time[0] = t0, front.time[1] = t1, front.time[2] = t2, front.time[3] = t3;
    return next;
  }

  static void prefetch_sparse(const StackBody& state, const Line* lines, std::size_t next, std::size_t count) {
    constexpr std::size_t ahead = 24;
    if (next + ahead < count) state.last.prefetch_sparse(lines[next + ahead].value);
  }

  /// Precondition: no batch holds pointers into the map.
  [[gnu::noinline]] static void make_room(StackState& state, std::uint64_t line) {
    state.last.make_room(line);
    for (unsigned i = 0; i < StackFront::lines; ++i) state.front.time[i] = state.last.find(state.front.line[i]);
  }

  /// Computes the distances of a batch and moves the window on.
  static void settle(StackBody& state, const Batch& batch, const Before& before) {
    if (batch.size == 0) return;
    if (state.now == state.window.touches) compact(state);
    const auto word = static_cast<std::uint32_t>(state.now / 64 * 64);
    const auto begin = static_cast<std::uint32_t>(state.now);
    std::uint32_t previous[64];
    for (unsigned i = 0; i < batch.size; ++i) {
      previous[i] = *batch.touched[i];
      *batch.leaving[i] = begin + i;
    }

    Far far;
    std::uint64_t open = state.open;
    std::uint64_t entering = std::uint64_t{1} << (begin - word);
    unsigned cold = 0;
    unsigned size = 0;
    for (unsigned i = 0; i < batch.size; ++i) {
      const std::uint32_t time = previous[i];
      if (time >= word) {
        const std::uint64_t later = open >> (time - word);
        *batch.distance[i] = before.lines - 1 + Isa::popcount(later);
        open ^= std::uint64_t{1} << (time - word);
      } else if (time != 0) {
        far.time[size] = time;
        far.nearer[size] = before.lines + Isa::popcount(open);
        far.distance[size] = batch.distance[i];
        ++size;
        __builtin_prefetch(state.window.words + (time >> W::word_bits), 1);
        __builtin_prefetch(state.window.leaves + (time >> W::leaf_bits), 1);
      } else {
        *batch.distance[i] = cold_distance;
        cold += batch.touched[i] != before.never ? 1 : 0;
      }
      open |= batch.leaving[i] != before.nobodys ? entering : 0;
      entering <<= 1;
    }
    far.size = size;
    if (cold != 0) state.last.add_lines(cold);
    if (size != 0) count_far(state.window, far, word);

    state.now += batch.size;
    if (state.now % 64 == 0) {
      add_word(state.window, word, open);
      open = 0;
    }
    state.open = open;
  }

  /// The window stays as it was when the batch began. A far touch then counts the set bits after its time, less those
  /// that earlier far touches of the batch have taken away, plus the lines that came nearer since.
  static void count_far(StackWindow& window, Far& far, std::uint32_t word) {
    const std::uint32_t last_block = word >> W::block_bits;
    if (Isa::ascending(far.time, far.size)) {
      count_ascending(window, far, last_block);
      return;
    }
    alignas(32) std::uint32_t taken[64];
    Isa::count_greater_before(far.time, far.size, taken);
    Isa::sum_after(window.blocks, last_block, window.after_block);
    Leaves leaves;
    for (unsigned i = 0; i < far.size; ++i) {
      const std::uint32_t time = far.time[i];
      *far.distance[i] =
          after_in_leaf(window, time) + leaves.after(window, time >> W::leaf_bits) + far.nearer[i] - taken[i];
    }
    for (unsigned i = 0; i < far.size; ++i)
      window.words[far.time[i] >> W::word_bits] &= ~(std::uint64_t{1} << (far.time[i] % 64));
    leaves.discount_all(window);
  }

  /// Leaves that a batch takes from. Several sweeps at the same time take from a few, again and again: what stands
  /// above a leaf is summed up once.
  class Leaves {
    struct Leaf {
      std::uint32_t number;
      std::uint32_t after;
      std::uint32_t taken;
    };

   public:
    Leaves() {
      for (std::uint8_t& r : recent_) r = 0;
      leaf_[0] = {~std::uint32_t{0}, 0, 0};
    }
    /// Set bits after a leaf; takes one from it.
    [[gnu::always_inline]] std::uint32_t after(const StackWindow& window, std::uint32_t number) {
      std::uint8_t& recent = recent_[number % sizeof recent_];
      if (leaf_[recent].number != number) {
        recent = static_cast<std::uint8_t>(++count_);
        leaf_[count_] = {number,
                         after_leaf(window, number) + window.after_block[number >> (W::block_bits - W::leaf_bits)], 0};
      }
      ++leaf_[recent].taken;
      return leaf_[recent].after;
    }
    void discount_all(StackWindow& window) const {
      for (unsigned i = 1; i <= count_; ++i) discount(window, leaf_[i].number, leaf_[i].taken);
    }

   private:
    std::uint8_t recent_[16];
    unsigned count_ = 0;
    Leaf leaf_[64 + 1];  ///< from 1 on
  };

  /// Ascending times take nothing from each other, and neighbours share all sums above their leaf.
  static void count_ascending(StackWindow& window, const Far& far, std::uint32_t last_block) {
    unsigned i = 0;
    while (i < far.size) {
      const std::uint32_t leaf = far.time[i] >> W::leaf_bits;
      const std::uint32_t block = leaf >> (W::block_bits - W::leaf_bits);
      const std::uint32_t after = after_leaf(window, leaf) + Isa::sum(window.blocks, block + 1, last_block + 1);
      std::uint64_t* const words = window.words + std::size_t{leaf} * 2;
      const std::uint64_t low = words[0];
      const std::uint64_t high = words[1];
      const std::uint32_t in_high = Isa::popcount(high);
      std::uint64_t taken[2] = {0, 0};
      for (; i < far.size && far.time[i] >> W::leaf_bits == leaf; ++i) {
        const std::uint32_t time = far.time[i];
        const bool upper = (time & 64) != 0;
        const std::uint64_t bit = std::uint64_t{1} << (time % 64);
        const std::uint64_t later = (upper ? high : low) & ~(bit | (bit - 1));
        *far.distance[i] = Isa::popcount(later) + (upper ? 0 : in_high) + after + far.nearer[i];
        taken[upper] |= bit;
      }
      words[0] = low & ~taken[0];
      words[1] = high & ~taken[1];
      discount(window, leaf, Isa::popcount(taken[0]) + Isa::popcount(taken[1]));
    }
  }

  /// Set bits after `time` within its leaf.
  static std::uint32_t after_in_leaf(const StackWindow& window, std::uint32_t time) {
    const std::uint64_t* const words = window.words + (time >> W::word_bits);
    const std::uint64_t bit = std::uint64_t{1} << (time % 64);
    const std::uint64_t upper = (time & 64) != 0 ? 0 : ~std::uint64_t{0};
    const std::uint64_t* const last = window.words + ((time >> W::word_bits) | 1);
    return Isa::popcount(*words & ~(bit | (bit - 1))) + Isa::popcount(*last & upper);
  }

  /// Set bits after `leaf` within its block.
  static std::uint32_t after_leaf(const StackWindow& window, std::uint32_t leaf) {
    const std::uint32_t group = leaf / 64;
    return Isa::after_in_64(window.leaves + std::size_t{group} * 64, leaf % 64,
                            window.groups + std::size_t{group / 64} * 64, group % 64);
  }

  static void discount(StackWindow& window, std::uint32_t leaf, std::uint32_t n) {
    window.leaves[leaf] = static_cast<std::uint8_t>(window.leaves[leaf] - n);
    std::uint16_t& group = window.groups[leaf >> (W::group_bits - W::leaf_bits)];
    group = static_cast<std::uint16_t>(group - n);
    window.blocks[leaf >> (W::block_bits - W::leaf_bits)] -= n;
  }

  static void add_word(StackWindow& window, std::uint64_t time, std::uint64_t bits) {
    window.words[time >> W::word_bits] = bits;
    discount(window, static_cast<std::uint32_t>(time >> W::leaf_bits), 0U - Isa::popcount(bits));
  }

  /// Renumbers the lines' last touches 64, 65, … in their order, and makes the window that large again or larger.
  [[gnu::noinline]] static void compact(StackBody& state) {
    StackWindow& window = state.window;
    std::uint32_t live = 0;
    for (std::uint64_t leaf = 0; leaf < window.touches >> W::leaf_bits; ++leaf) {
      window.ranks[leaf] = static_cast<std::uint32_t>(W::first_time) + live;
      live += window.leaves[leaf];
    }
    std::size_t scanned = 0;
    for (std::size_t i = 0; i < state.last.runs(); ++i) {
      const LastTouch::Run run = state.last.run(i);
      renumber(window, run);
      scanned += run.count;
    }
    renew_window(window, live, scanned);
    std::uint64_t time = W::first_time;
    for (; live >= 64; live -= 64, time += 64) add_word(window, time, ~std::uint64_t{0});
    state.now = time;
    state.open = 0;
    if (live != 0) {
      add_word(window, time, (std::uint64_t{1} << live) - 1);
      state.now += 64;
    }
  }

  static void renumber(const StackWindow& window, LastTouch::Run run) {
    // The times of neighbouring lines may lie anywhere in the window.
    constexpr std::size_t ahead = 16;
    for (std::size_t i = 0; i < run.count; ++i) {
      if (i + ahead < run.count) {
        const std::uint32_t soon = run.first[(i + ahead) * run.stride];
        __builtin_prefetch(window.words + (soon >> W::word_bits));
        __builtin_prefetch(window.ranks + (soon >> W::leaf_bits));
      }
      std::uint32_t& time = run.first[i * run.stride];
      if (time != 0) time = rank(window, time);
    }
  }

  static std::uint32_t rank(const StackWindow& window, std::uint32_t time) {
    const std::uint64_t before = (std::uint64_t{1} << (time % 64)) - 1;
    const std::uint64_t* const words = window.words + (time >> W::leaf_bits) * std::size_t{2};
    const bool upper = (time & 64) != 0;
    return window.ranks[time >> W::leaf_bits] +
           (upper ? Isa::popcount(words[0]) + Isa::popcount(words[1] & before) : Isa::popcount(words[0] & before));
  }
};

}  // namespace cachescape::analyze
