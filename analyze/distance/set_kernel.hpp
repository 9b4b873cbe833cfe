// The inner loops of the set-distance engine, generic over the operations on one set (Ops).
//
// This header is compiled for several instruction sets in one program, so it holds templates over Ops
// only: nothing here may be merged by the linker with code for another processor. For the same reason it
// uses no library templates.
#pragma once

#include <cstddef>
#include <cstdint>

#include "analyze/distance/set_state.hpp"
#include "analyze/distance/set_unrolled.hpp"

namespace cachescape::analyze::sets {

/// How far ahead sets are fetched, and the first level whose sets may lie outside the L1 cache.
inline constexpr std::size_t prefetch_ahead = 8;
inline constexpr unsigned prefetch_level = 9;
/// One walk in so many tries whether the guess of the absent levels could be bolder: a wrong guess costs about as
/// much as this many cautious ones.
inline constexpr std::size_t guess_period = 16;

template <class Ops, class Tag, unsigned Ways>
class GridKernel {
 public:
  static void run(GridState<Tag>& s, const TouchList<Tag>& touches) {
    filter(s, touches);
    walk(s);
  }

 private:
  using Fine = std::uint16_t;
  template <class T>
  using Set = typename Ops::template Set<T, Ways>;
  using Key = typename Ops::template Key<Tag>;
  using Front = typename Ops::template Front<Tag>;
  static constexpr bool compact = sizeof(Tag) == sizeof(std::uint32_t);
  static constexpr std::size_t hits_row = CounterLayout::hits_row(Ways);

  // Pass 1: lines among the last eight get their distances from the front alone; the others go on,
  // preceded by the front lines whose order has changed.
  static void filter(GridState<Tag>& s, const TouchList<Tag>& touches) {
    Front front(s.front);
    const Tag level_bits = static_cast<Tag>((Tag{2} << s.max_level) - 1);
    unsigned pending = s.pending;
    std::size_t out = 0;
    for (std::size_t i = 0; i < touches.count; ++i) {
      const Tag x = touches.tag[i];
      const std::uint32_t weight = touches.weight[i];
      std::uint64_t* counters = s.counters + s.counter_stride * touches.group[i];
      const unsigned position = front.find(x);
      // One case per position, so that the front's next state hangs on a predicted branch and not on the
      // outcome of the search.
      switch (position) {
        case 1:
          front_hit<1>(front, x, level_bits, pending, counters, weight);
          break;
        case 2:
          front_hit<2>(front, x, level_bits, pending, counters, weight);
          break;
        case 3:
          front_hit<3>(front, x, level_bits, pending, counters, weight);
          break;
        case 4:
          front_hit<4>(front, x, level_bits, pending, counters, weight);
          break;
        case 5:
          front_hit<5>(front, x, level_bits, pending, counters, weight);
          break;
        case 6:
          front_hit<6>(front, x, level_bits, pending, counters, weight);
          break;
        case 7:
          front_hit<7>(front, x, level_bits, pending, counters, weight);
          break;
        default:
          if (pending != 0) {
            alignas(64) Tag lines[front_lines];
            front.store(lines);
            while (pending != 0) {
              s.walk_tag[out] = lines[--pending];
              s.walk_group[out] = GridState<Tag>::refresh;
              s.walk_weight[out] = 0;
              ++out;
            }
          }
          s.walk_tag[out] = x;
          s.walk_group[out] = touches.group[i];
          s.walk_weight[out] = weight;
          ++out;
          counters[CounterLayout::far] += weight;
          front.push(x);
      }
    }
    front.store(s.front);
    s.pending = pending;
    s.walk_count = out;
  }

  // The lines in between are those at positions 0 … M − 1. Each agrees with x on levels 0 … r, a mask
  // of r + 1 ones; sorting such masks needs only AND and OR. D at level k is at least d iff the d-th largest
  // mask has bit k, so one count per d holds the distances of all levels.
  template <unsigned M>
  [[gnu::always_inline]] static void front_hit(Front& front, Tag x, Tag level_bits, unsigned& pending,
                                               std::uint64_t* counters, std::uint32_t weight) {
    pending += M >= pending ? 1 : 0;
    counters[CounterLayout::near] += weight;
    alignas(64) Tag agreement[front_lines];
    front.agreement(x, level_bits, agreement);
    Tag sorted[M];
    for (unsigned j = 0; j < M; ++j) {
      Tag carry = agreement[j];
      for (unsigned i = 0; i < j; ++i) {
        const Tag larger = sorted[i] | carry;
        carry = sorted[i] & carry;
        sorted[i] = larger;
      }
      sorted[j] = carry;
    }
    for (unsigned d = 0; d < M; ++d) {
      counters[d * CounterLayout::front_row + Ops::ones(sorted[d])] += weight;
    }
    front.template raise<M>(x);
  }

  template <class T>
  [[gnu::always_inline]] static T* set_of(const GridState<Tag>& s, unsigned level, Tag x) {
    const auto offset = static_cast<std::size_t>(x & ((Tag{1} << level) - 1)) * (Ways * sizeof(T));
    return reinterpret_cast<T*>(s.base[level] + offset);
  }

  // Pass 2: the sets, a fixed way ahead of which the processor fetches.
  static void walk(GridState<Tag>& s) {
    const std::size_t n = s.walk_count;
    for (std::size_t i = 0; i < n && i < prefetch_ahead; ++i) prefetch(s, s.walk_tag[i]);
    for (std::size_t i = 0; i < n; ++i) {
      if (i + prefetch_ahead < n && s.walk_group[i + prefetch_ahead] != GridState<Tag>::refresh) {
        prefetch(s, s.walk_tag[i + prefetch_ahead]);
      }
      if (s.walk_group[i] == GridState<Tag>::refresh) {
        refresh(s, s.walk_tag[i]);
      } else {
        if (i % guess_period == 0) dare(s, s.walk_tag[i]);
        count(s, s.walk_tag[i], s.counters + s.counter_stride * s.walk_group[i], s.walk_weight[i]);
      }
    }
  }

  template <class T>
  [[gnu::always_inline]] static void fetch(T* set) {
    for (std::size_t offset = 0; offset < Ways * sizeof(T); offset += 64) {
      __builtin_prefetch(reinterpret_cast<char*>(set) + offset, 1);
    }
  }

  // A line of the front is among the first eight of all its sets.
  static void refresh(GridState<Tag>& s, Tag x) {
    const Key key(x);
    unsigned level = s.min_level;
    for (; level < s.cut; ++level) {
      if (Set<Tag>::touch_near(set_of<Tag>(s, level, x), key.whole())) return;
    }
    if constexpr (compact) {
      for (; level <= s.max_level; ++level) {
        if (Set<Fine>::touch_near(set_of<Fine>(s, level, x), key.fine(level))) return;
      }
    }
  }

  static bool absent(const GridState<Tag>& s, unsigned level, Tag x, const Key& key) {
    if constexpr (compact) {
      if (level >= s.cut) return Set<Fine>::absent(set_of<Fine>(s, level, x), key.fine(level));
    }
    return Set<Tag>::absent(set_of<Tag>(s, level, x), key.whole());
  }

  static void dare(GridState<Tag>& s, Tag x) {
    const unsigned level = s.min_level + s.absent_guess;
    if (level <= s.max_level && absent(s, level, x, Key(x))) ++s.absent_guess;
  }

  [[gnu::always_inline]] static void prefetch(const GridState<Tag>& s, Tag x) {
    unsigned level = prefetch_level < s.min_level ? s.min_level : prefetch_level;
    for (; level < s.cut; ++level) fetch(set_of<Tag>(s, level, x));
    if constexpr (compact) {
      const unsigned max_level = s.max_level;
      if (level > max_level) return;
      Unrolled<Ops>::upwards(level, [&]<unsigned Level>() __attribute__((always_inline)) {
        fetch(set_of<Fine>(s, Level, x));
        return Level < max_level;
      });
    }
  }

  // A line absent at one level is absent at all coarser ones, where it then only has to be put in. Returns
  // the first level not dealt with.
  [[gnu::always_inline]] static unsigned insert_where_absent(GridState<Tag>& s, Tag x, const Key& key) {
    const unsigned end = s.min_level + s.absent_guess;
    if (end == s.min_level) return end;
    if (!absent(s, end - 1, x, key)) {
      --s.absent_guess;
      return s.min_level;
    }
    const unsigned min_level = s.min_level;
    unsigned coarse_end = end;
    if constexpr (compact) {
      const unsigned cut = s.cut;
      if (end > cut) {
        Unrolled<Ops>::downwards(end - 1, [&]<unsigned Level>() __attribute__((always_inline)) {
          Set<Fine>::insert(set_of<Fine>(s, Level, x), key.template fine_last<Level>());
          return Level > cut;
        });
        coarse_end = cut;
      }
    }
    if (coarse_end > min_level) {
      Unrolled<Ops>::downwards(coarse_end - 1, [&]<unsigned Level>() __attribute__((always_inline)) {
        Set<Tag>::insert(set_of<Tag>(s, Level, x), key.whole());
        return Level > min_level;
      });
    }
    return end;
  }

  [[gnu::always_inline]] static void count(GridState<Tag>& s, Tag x, std::uint64_t* counters, std::uint32_t weight) {
    const Key key(x);
    const unsigned first = insert_where_absent(s, x, key);
    std::uint64_t* const hits = counters + CounterLayout::hits;
    std::uint64_t* const stop = counters + CounterLayout::stop;
    bool stopped = false;
    const unsigned cut = s.cut;
    if (first < cut) {
      Unrolled<Ops>::upwards(first, [&]<unsigned Level>() __attribute__((always_inline)) {
        const unsigned d = Set<Tag>::touch(set_of<Tag>(s, Level, x), key.whole());
        if (d == 0) {
          stop[Level] += weight;
          stopped = true;
          return false;
        }
        hits[Level * hits_row + d] += weight;
        return Level + 1 < cut;
      });
      if (stopped) return;
    }
    if constexpr (compact) {
      const unsigned max_level = s.max_level;
      const unsigned fine_first = first < cut ? cut : first;
      if (fine_first > max_level) return;
      Unrolled<Ops>::upwards(fine_first, [&]<unsigned Level>() __attribute__((always_inline)) {
        const unsigned d = Set<Fine>::touch(set_of<Fine>(s, Level, x), key.template fine<Level>());
        if (d == 0) {
          stop[Level] += weight;
          return false;
        }
        hits[Level * hits_row + d] += weight;
        return Level < max_level;
      });
    }
  }
};

template <class Ops, class Tag, unsigned Ways>
class SingleKernel {
 public:
  static void run(SingleState<Tag>& s, const TouchList<Tag>& touches) {
    using Set = typename Ops::template Set<Tag, Ways>;
    using Key = typename Ops::template Key<Tag>;
    Tag* set[chunk_touches];
    for (std::size_t i = 0; i < touches.count; ++i) set[i] = s.tags + (touches.line[i] % s.sets) * Ways;
    for (std::size_t i = 0; i < touches.count; ++i) {
      if (i + prefetch_ahead < touches.count) __builtin_prefetch(set[i + prefetch_ahead], 1);
      const unsigned d = Set::touch(set[i], Key(touches.tag[i]).whole());
      s.counters[std::size_t{touches.group[i]} * CounterLayout::hits_row(Ways) + d] += touches.weight[i];
    }
  }
};

template <class Ops, unsigned Ways>
Kernels kernels_with() {
  return {&GridKernel<Ops, std::uint32_t, Ways>::run, &GridKernel<Ops, std::uint64_t, Ways>::run,
          &SingleKernel<Ops, std::uint32_t, Ways>::run, &SingleKernel<Ops, std::uint64_t, Ways>::run};
}

}  // namespace cachescape::analyze::sets
