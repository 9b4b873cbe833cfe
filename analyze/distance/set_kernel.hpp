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
  // A fixed way ahead the processor fetches.
  static void run(GridState<Tag>& s, const EnteringTags<Tag>& entering) {
    const std::size_t n = entering.count;
    for (std::size_t i = 0; i < n && i < prefetch_ahead; ++i) prefetch(s, entering.tag[i]);
    for (std::size_t i = 0; i < n; ++i) {
      if (i + prefetch_ahead < n) prefetch(s, entering.tag[i + prefetch_ahead]);
      if (entering.demotion[i] != 0) demote(s, entering.left[i], entering.demotion[i]);
      if (i % guess_period == 0) dare(s, entering.tag[i]);
      count(s, entering.tag[i], s.counters + s.counter_stride * entering.group[i], entering.weight[i]);
    }
  }

 private:
  using Fine = std::uint16_t;
  template <class T>
  using Set = typename Ops::template Set<T, Ways>;
  using Key = typename Ops::template Key<Tag>;
  static constexpr bool compact = sizeof(Tag) == sizeof(std::uint32_t);
  static constexpr std::size_t hits_row = CounterLayout::hits_row(Ways);

  template <class T>
  [[gnu::always_inline]] static T* set_of(const GridState<Tag>& s, unsigned level, Tag x) {
    const auto offset = static_cast<std::size_t>(x & ((Tag{1} << level) - 1)) * (Ways * sizeof(T));
    return reinterpret_cast<T*>(s.base[level] + offset);
  }

  template <class T>
  [[gnu::always_inline]] static void fetch(T* set) {
    for (std::size_t offset = 0; offset < Ways * sizeof(T); offset += 64) {
      __builtin_prefetch(reinterpret_cast<char*>(set) + offset, 1);
    }
  }

  // The line that left stands before those of the front that entered earlier; now it has to stand behind them. Each
  // byte tells of one of these lines at how many levels it falls into the same set, and in its upper bit whether it
  // entered earlier: so both places of the line are known.
  static void demote(GridState<Tag>& s, Tag left, std::uint64_t demotion) {
    constexpr std::uint64_t every_byte = 0x0101010101010101u;
    const std::uint64_t shared = demotion & (every_byte * 0x1f);
    for (unsigned level = s.min_level; level <= s.max_level; ++level) {
      const std::uint64_t here = (shared + every_byte * (0x7f - level)) & (every_byte * 0x80);
      const std::uint64_t earlier = here & demotion;
      if (earlier == 0) return;
      const unsigned to = Ops::ones(here);
      const unsigned from = to - Ops::ones(earlier);
      if constexpr (compact) {
        if (level >= s.cut) {
          Set<Fine>::move_back(set_of<Fine>(s, level, left), from, to);
          continue;
        }
      }
      Set<Tag>::move_back(set_of<Tag>(s, level, left), from, to);
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
    counters[CounterLayout::touches] += weight;
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

template <class Ops, unsigned Ways>
class SingleKernel {
 public:
  static void run(SingleState& s, const TouchList& touches) {
    using Set = typename Ops::template Set<std::uint64_t, Ways>;
    using Key = typename Ops::template Key<std::uint64_t>;
    std::uint64_t* set[chunk_touches];
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
          &SingleKernel<Ops, Ways>::run};
}

}  // namespace cachescape::analyze::sets
