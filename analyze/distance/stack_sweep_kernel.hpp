// Many lines at once: what a loop passes goes by the front, and what repeats is counted stream by stream. Included like
// stack_kernel.hpp, and under its rules.
//
// Why the numbers are right: docs/design/loops.md.
#pragma once

#include "analyze/distance/stack_kernel.hpp"

namespace cachescape::analyze {

template <class Isa>
class StackSweepKernel : StackKernel<Isa> {
  using Kernel = StackKernel<Isa>;
  using W = StackWindow;
  using Far = typename Kernel::Far;

 public:
  // All lines are different, so that a touch finds none of those that the sweep itself has moved: what it counts are
  // the lines of the sweep so far, and older ones. New times are given when all is counted.
  static bool sweep(FarStackState& state, const StackSweep& sweep, std::uint32_t* distances) {
    if (!find_room(state, sweep.count)) return false;
    find_times(state, sweep);
    for (unsigned i = 0; i < FarStackState::lanes; ++i) *state.time[sweep.lanes[i]] = in_front + i;
    Older older{state.window, static_cast<std::uint32_t>(state.now / 64 * 64), state.open};
    const std::size_t regular_end = sweep.first_regular + sweep.streams * sweep.periods;
    for (std::size_t i = 0; i < sweep.count;) {
      if (i >= sweep.first_regular && i < regular_end) {
        const std::size_t periods = least((regular_end - i) / sweep.streams, 64 / sweep.streams);
        if (periods >= fewest_periods && older.count_streams(sweep, i, periods, distances)) {
          i += periods * sweep.streams;
          continue;
        }
        const std::size_t end = i + least(periods == 0 ? 1 : periods, regular_end - i) * sweep.streams;
        for (; i < end; ++i) older.count(*sweep.times[i], i, distances + i);
      } else {
        older.count(*sweep.times[i], i, distances + i);
        ++i;
      }
    }
    older.finish();
    state.last.add_lines(older.cold());
    state.open = older.open();
    remember(state, sweep, older.front());
    return true;
  }

 private:
  /// Times from here on are places in the front, while a sweep passes it.
  static constexpr std::uint32_t in_front = ~std::uint32_t{0} - (FarStackState::lanes - 1);
  static constexpr std::size_t fewest_periods = 4;
  static_assert(fewest_periods * StackSweep::most_streams <= 64);

  static std::size_t least(std::size_t a, std::size_t b) { return a < b ? a : b; }

  /// The lines that were there before the sweep, those of the front among them.
  class Older {
   public:
    Older(StackWindow& window, std::uint32_t word, std::uint64_t open) : window_(window), word_(word), open_(open) {}

    std::uint64_t open() const { return open_; }
    std::uint32_t front() const { return front_; }
    std::uint64_t cold() const { return cold_; }

    /// The distance of a line of this time that is the sweep's `moved`-th.
    [[gnu::always_inline]] void count(std::uint32_t time, std::size_t moved, std::uint32_t* distance) {
      const auto before = static_cast<std::uint32_t>(moved);
      if (time == 0) {
        *distance = cold_distance;
        ++cold_;
      } else if (time < word_) {
        far_.time[far_.size] = time;
        far_.nearer[far_.size] = before + nearer();
        far_.distance[far_.size] = distance;
        if (++far_.size == 64) finish();
      } else if (time < in_front) {
        const std::uint64_t later = open_ >> (time - word_);
        *distance = before + Isa::popcount(later) - 1 + Isa::popcount(front_);
        open_ ^= std::uint64_t{1} << (time - word_);
      } else {
        front_ &= ~(1u << (time - in_front));
        *distance = before + Isa::popcount(front_ >> (time - in_front));
      }
    }
    void finish() {
      if (far_.size != 0) Kernel::count_far(window_, far_, word_);
      far_.size = 0;
    }

    /// The distances of some periods, where each of the streams finds ascending times: then it is easily known how many
    /// of the lines before have been taken from behind a time.
    bool count_streams(const StackSweep& sweep, std::size_t first, std::size_t periods, std::uint32_t* distances) {
      const std::size_t streams = sweep.streams;
      std::uint32_t time[64];
      for (std::size_t s = 0; s < streams; ++s) {
        std::uint32_t* const mine = time + s * periods;
        std::uint32_t before = 0;
        bool ascending = true;
        for (std::size_t p = 0; p < periods; ++p) {
          mine[p] = *sweep.times[first + p * streams + s];
          ascending &= mine[p] > before;
          before = mine[p];
        }
        if (!ascending || before >= word_) return false;
      }
      Stream stream[StackSweep::most_streams];
      std::uint32_t taken[64];
      bool overlap = false;
      for (std::size_t s = 0; s < streams; ++s) {
        const std::uint32_t begin = time[s * periods];
        const std::uint32_t end = time[s * periods + periods - 1];
        for (std::size_t other = 0; other < s; ++other) {
          if (time[other * periods] > end) {
            ++stream[s].taken_first;
          } else if (time[other * periods + periods - 1] < begin) {
            ++stream[other].taken_later;
          } else {
            if (!overlap) {
              for (std::uint32_t& t : taken) t = 0;
              overlap = true;
            }
            count_taken(time + s * periods, time + other * periods, periods, 1, taken + s * periods);
            count_taken(time + other * periods, time + s * periods, periods, 0, taken + other * periods);
          }
        }
      }
      finish();
      const std::uint32_t now = static_cast<std::uint32_t>(first) + nearer();
      Isa::sum_after(window_.blocks, word_ >> W::block_bits, window_.after_block);
      for (std::size_t s = 0; s < streams; ++s) {
        const Stream& of = stream[s];
        // Of period p: those of streams before, p + 1 times, and of streams after, p times.
        const std::uint32_t each = static_cast<std::uint32_t>(streams) - of.taken_first - of.taken_later;
        count_stream(time + s * periods, overlap ? taken + s * periods : nothing, periods,
                     now + static_cast<std::uint32_t>(s) - of.taken_first, each, distances + first + s, streams);
      }
      for (unsigned i = 0; i < leaves_; ++i) {
        const Leaf& leaf = leaf_[i];
        std::uint64_t* const words = window_.words + std::size_t{leaf.number} * 2;
        words[0] &= ~leaf.taken[0];
        words[1] &= ~leaf.taken[1];
        Kernel::discount(window_, leaf.number, Isa::popcount(leaf.taken[0]) + Isa::popcount(leaf.taken[1]));
      }
      leaves_ = 0;
      return true;
    }

   private:
    /// How many of the other streams find later times: of those that come first in a period, and of the others.
    struct Stream {
      std::uint32_t taken_first = 0;
      std::uint32_t taken_later = 0;
    };
    static constexpr std::uint32_t nothing[64] = {};
    struct Leaf {
      std::uint32_t number;
      std::uint64_t taken[2];
    };

    std::uint32_t nearer() const { return Isa::popcount(open_) + Isa::popcount(front_); }

    /// Where two streams find times in the same part of the window: how many of the other's so far, `ahead` of which
    /// come first in a period, are later than each of mine.
    [[gnu::always_inline]] static void count_taken(const std::uint32_t* mine, const std::uint32_t* others,
                                                   std::size_t periods, std::size_t ahead, std::uint32_t* taken) {
      std::size_t earlier = 0;
      for (std::size_t p = 0; p < periods; ++p) {
        while (earlier < periods && others[earlier] < mine[p]) ++earlier;
        if (p + ahead > earlier) taken[p] += static_cast<std::uint32_t>(p + ahead - earlier);
      }
    }
    /// Bits are taken away when all streams are counted.
    [[gnu::always_inline]] void count_stream(const std::uint32_t* time, const std::uint32_t* taken, std::size_t periods,
                                             std::uint32_t nearer, std::uint32_t each, std::uint32_t* distance,
                                             std::size_t step) {
      for (std::size_t p = 0; p < periods;) {
        Leaf& leaf = leaf_[leaves_++];
        leaf.number = time[p] >> W::leaf_bits;
        const std::uint64_t* const words = window_.words + std::size_t{leaf.number} * 2;
        const std::uint64_t low = words[0];
        const std::uint64_t high = words[1];
        const std::uint32_t in_high = Isa::popcount(high);
        std::uint64_t taken_low = 0;
        std::uint64_t taken_high = 0;
        const std::uint32_t after = Kernel::after_leaf(window_, leaf.number) +
                                    window_.after_block[leaf.number >> (W::block_bits - W::leaf_bits)];
        for (; p < periods && time[p] >> W::leaf_bits == leaf.number; ++p) {
          const bool upper = (time[p] & 64) != 0;
          const std::uint64_t bit = std::uint64_t{1} << (time[p] % 64);
          const std::uint64_t later = (upper ? high : low) & ~(bit | (bit - 1));
          *distance = Isa::popcount(later) + (upper ? 0 : in_high) + after + nearer - taken[p];
          distance += step;
          nearer += each;
          taken_low |= upper ? 0 : bit;
          taken_high |= upper ? bit : 0;
        }
        leaf.taken[0] = taken_low;
        leaf.taken[1] = taken_high;
      }
    }

    StackWindow& window_;
    std::uint32_t word_;
    std::uint64_t open_;
    std::uint32_t front_ = (1u << FarStackState::lanes) - 1;
    std::uint64_t cold_ = 0;
    Far far_;
    unsigned leaves_ = 0;
    Leaf leaf_[64];
  };

  static bool find_room(FarStackState& state, std::size_t count) {
    const auto fits = [&] {
      return state.now + count + FarStackState::lanes <= state.window.touches && state.window.touches <= in_front;
    };
    if (fits()) return true;
    if (state.now % 64 != 0)
      Kernel::add_word(state.window, static_cast<std::uint32_t>(state.now / 64 * 64), state.open);
    Kernel::compact(state);
    return fits();
  }

  // Where no line's time is in a hash table, neighbours' times lie side by side.
  static void find_times(FarStackState& state, const StackSweep& sweep) {
    const std::size_t regular_end = sweep.first_regular + sweep.streams * sweep.periods;
    for (std::size_t i = 0; i < sweep.count; ++i) {
      const std::uint64_t line = sweep.come[i].value;
      if (i < regular_end && i >= sweep.first_regular + sweep.streams && !state.last.has_sparse()) {
        const std::uint64_t before = sweep.come[i - sweep.streams].value;
        if (line / LastTouch::granule_lines == before / LastTouch::granule_lines) [[likely]] {
          sweep.times[i] = sweep.times[i - sweep.streams] + static_cast<std::ptrdiff_t>(line - before);
          continue;
        }
      }
      sweep.times[i] = state.last.find(line);
      if (sweep.times[i] != nullptr) [[likely]]
        continue;
      Kernel::make_room(state, line);
      i = ~std::size_t{0};
    }
  }

  /// What is left of the front enters the window, and the sweep's lines do but for the last, which take the lanes.
  static void remember(FarStackState& state, const StackSweep& sweep, std::uint32_t front) {
    auto time = static_cast<std::uint32_t>(state.now);
    for (unsigned i = 0; i < FarStackState::lanes; ++i)
      if ((front >> i & 1) != 0) *state.time[sweep.lanes[i]] = time++;
    const std::size_t rest = sweep.count - FarStackState::lanes;
    for (std::size_t i = 0; i < rest; ++i) *sweep.times[sweep.leave[i]] = time++;
    for (unsigned lane = 0; lane < FarStackState::lanes; ++lane) {
      const std::size_t i = sweep.leave[rest + lane];
      state.line[lane] = sweep.come[i].value;
      state.time[lane] = sweep.times[i];
      *state.time[lane] = W::first_time;  // means nothing, but is a time
    }
    for (std::uint64_t more = time - state.now; more != 0;) {
      const std::uint64_t room = 64 - state.now % 64;
      const std::uint64_t now = more < room ? more : room;
      state.open |= (~std::uint64_t{0} >> (64 - now)) << state.now % 64;
      state.now += now;
      more -= now;
      if (now != room) break;
      Kernel::add_word(state.window, static_cast<std::uint32_t>(state.now - 64), state.open);
      state.open = 0;
    }
  }
};

}  // namespace cachescape::analyze
