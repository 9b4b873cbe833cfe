// The inner loop of the front, written once and compiled once per instruction set.
//
// `Ops` supplies what differs (front_portable.cpp, front_avx2.cpp). Templates over it and functions that are always
// inlined, and nothing from the standard library: copies for different processors must not share a symbol.
//
// Why the numbers are right: docs/design/front.md.
#pragma once

#include <cstddef>
#include <cstdint>

#include "analyze/distance/front_state.hpp"

namespace cachescape::analyze {

template <class Ops, bool Sets, bool Epochs>
class FrontKernel {
  struct Touch {
    std::uint64_t line;
    std::uint32_t group;
    std::uint32_t kind;
    std::uint32_t weight;
    std::uint32_t place;
  };

 public:
  static std::size_t accesses(FrontState& s, const PackedAccess* accesses, std::size_t count, unsigned line_log2) {
    Ops lanes(s);
    std::size_t i = 0;
    for (; i < count; ++i) {
      const PackedAccess& a = accesses[i];
      const std::uint64_t address = a.address().value;
      const std::uint32_t size = a.size();
      const std::uint64_t last = address + (size == 0 ? 0 : size - 1);
      const std::uint64_t line = address >> line_log2;
      const std::uint64_t lines = (last >> line_log2) - line;
      const std::uint32_t place = a.place() & s.place_mask;
      if (lines > 1 || s.far->count + 2 > FarTouches::capacity || place >= s.places) [[unlikely]]
        break;
      const auto kind = static_cast<std::uint32_t>(a.kind());
      touch(lanes, s, {line, kind, kind, 1, place});
      if (lines != 0) [[unlikely]]
        touch(lanes, s, {line + 1, kind, kind, 1, place});
    }
    lanes.save(s);
    return i;
  }

  static std::size_t touches(FrontState& s, const TouchColumns& columns, std::size_t count) {
    Ops lanes(s);
    std::size_t i = 0;
    for (; i < count; ++i) {
      const std::uint32_t place = columns.place[i] & s.place_mask;
      if (s.far->count == FarTouches::capacity || place >= s.places) [[unlikely]]
        break;
      const std::uint32_t group = columns.group[i];
      if constexpr (Epochs) {
        if (group >= epoch_of_read) {
          if (s.event_count >= s.enough_events) break;
          tell_epoch(lanes, s, columns.line[i].value, columns.weight[i], group == epoch_of_write);
          continue;
        }
      }
      const std::uint32_t kind = group % FrontState::kinds;
      s.far->weighted |= columns.weight[i] != 1;
      touch(lanes, s, {columns.line[i].value, group, kind, columns.weight[i], place});
    }
    lanes.save(s);
    return i;
  }

 private:
  [[gnu::always_inline]] static void touch(Ops& lanes, FrontState& s, const Touch& t) {
    const auto low = static_cast<std::uint32_t>(t.line);
    std::uint32_t found = lanes.match(s, low) & s.occupied;
    while (found != 0) {
      const auto lane = static_cast<unsigned>(__builtin_ctz(found));
      if (s.line[lane] == t.line) [[likely]]
        return near(lanes, s, t, low, lane);
      found &= found - 1;
    }
    far(lanes, s, t, low);
  }

  [[gnu::always_inline]] static void near(Ops& lanes, FrontState& s, const Touch& t, std::uint32_t low, unsigned lane) {
    const unsigned distance = lanes.later(s, lane);
    if constexpr (Sets) {
      count_pattern(s, lanes.agreement(s, low) | std::uint64_t{t.group} << FrontState::pattern_group_shift, t.weight);
    } else {
      s.near[t.group][distance] += t.weight;
    }
    lanes.raise(s, lane, distance, s.now++);
    s.rows[(std::size_t{t.place} * FrontState::rows_per_place + t.kind) * FrontState::lanes + distance] += t.weight;
    if constexpr (Epochs) follow_epoch(s, t, lane, distance);
  }

  [[gnu::always_inline]] static void count_pattern(FrontState& s, std::uint64_t key, std::uint32_t weight) {
    FrontState::Pattern& p = s.patterns[(key * 0x9e3779b97f4a7c15u) >> 54];
    static_assert(FrontState::pattern_slots == 1u << (64 - 54));
    if (p.key != key) [[unlikely]] {
      s.settle(s, p);
      p = {key, 0};
    }
    p.times += weight;
  }

  [[gnu::always_inline]] static void follow_epoch(FrontState& s, const Touch& t, unsigned lane, unsigned distance) {
    // A touch that is there for the order only happened elsewhere, epochs included.
    if (t.weight == 0) [[unlikely]]
      return;
    const bool writes = t.kind != 0;
    const std::uint32_t greatest = s.greatest[lane] > distance ? s.greatest[lane] : distance;
    s.greatest[lane] = writes ? 0 : greatest;
    if (writes && !s.written[lane]) [[unlikely]] {
      s.events[s.event_count++] = {s.far->count, Line{t.line}, greatest, t.weight, true};
      s.written[lane] = true;
      return;
    }
    s.ended[writes ? greatest : FrontState::lanes] += t.weight;
  }

  static void tell_epoch(Ops& lanes, FrontState& s, std::uint64_t line, std::uint32_t distance, bool writes) {
    std::uint32_t found = lanes.match(s, static_cast<std::uint32_t>(line)) & s.occupied;
    for (; found != 0; found &= found - 1) {
      const auto lane = static_cast<unsigned>(__builtin_ctz(found));
      if (s.line[lane] != line) continue;
      // What was kept of its stay so far comes before.
      if (s.greatest[lane] != 0) s.events[s.event_count++] = {s.far->count, Line{line}, s.greatest[lane], 1, false};
      s.greatest[lane] = 0;
      s.written[lane] = false;
    }
    s.events[s.event_count++] = {s.far->count, Line{line}, distance, 1, writes};
  }

  [[gnu::always_inline]] static void far(Ops& lanes, FrontState& s, const Touch& t, std::uint32_t low) {
    const unsigned lane = lanes.earliest(s);
    FarTouches& far = *s.far;
    const std::size_t i = far.count++;
    far.line[i] = Line{t.line};
    far.group[i] = static_cast<std::uint16_t>(t.group);
    far.weight[i] = t.weight;
    far.place[i] = t.place;
    far.lane[i] = static_cast<std::uint8_t>(lane);
    const bool leaves = (s.occupied >> lane & 1) != 0;
    far.left[i] = Line{s.line[lane]};
    if constexpr (Sets) far.demotion[i] = leaves ? lanes.demotion(s, lane) : 0;
    if constexpr (Epochs) {
      if (leaves && s.greatest[lane] != 0) s.events[s.event_count++] = {i, far.left[i], s.greatest[lane], 1, false};
      s.greatest[lane] = 0;
      s.written[lane] = t.kind != 0 && t.weight != 0;
    }
    s.occupied |= 1u << lane;
    s.line[lane] = t.line;
    lanes.enter(s, lane, low, s.now++);
  }
};

template <class Ops>
struct FrontEntry {
  static std::size_t accesses(FrontState& s, const PackedAccess* a, std::size_t count, unsigned line_log2) {
    if (s.follows_sets) {
      return s.follows_epochs ? FrontKernel<Ops, true, true>::accesses(s, a, count, line_log2)
                              : FrontKernel<Ops, true, false>::accesses(s, a, count, line_log2);
    }
    return s.follows_epochs ? FrontKernel<Ops, false, true>::accesses(s, a, count, line_log2)
                            : FrontKernel<Ops, false, false>::accesses(s, a, count, line_log2);
  }
  static std::size_t touches(FrontState& s, const TouchColumns& columns, std::size_t count) {
    if (s.follows_sets) {
      return s.follows_epochs ? FrontKernel<Ops, true, true>::touches(s, columns, count)
                              : FrontKernel<Ops, true, false>::touches(s, columns, count);
    }
    return s.follows_epochs ? FrontKernel<Ops, false, true>::touches(s, columns, count)
                            : FrontKernel<Ops, false, false>::touches(s, columns, count);
  }
};

}  // namespace cachescape::analyze
