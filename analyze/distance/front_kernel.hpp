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
    const PackedAccess* a = accesses;
    // Each of the next so many finds room among the far touches: what is known when the last one came there.
    const PackedAccess* end = accesses + (has_room(s) ? count : 0);
    const std::uint64_t bytes = std::uint64_t{1} << line_log2;
    for (; a != end; ++a) {
      const std::uint64_t address = a->address().value;
      const std::uint64_t last = (address & (bytes - 1)) + a->size();
      const std::uint32_t place = a->place() & s.place_mask;
      const bool two_lines = last > bytes;
      const bool past_the_end = two_lines && address + a->size() < address;
      if (last > 2 * bytes || past_the_end || place >= s.places) [[unlikely]]
        break;
      const auto kind = static_cast<std::uint32_t>(a->kind());
      bool room = touch(lanes, s, {address >> line_log2, kind, kind, 1, place});
      if (two_lines) [[unlikely]]
        room = touch(lanes, s, {(address >> line_log2) + 1, kind, kind, 1, place}) && room;
      if (!room) [[unlikely]]
        end = a + 1;
    }
    lanes.save(s);
    return static_cast<std::size_t>(a - accesses);
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
  /// Room for the touches of an access.
  [[gnu::always_inline]] static bool has_room(const FrontState& s) { return s.far->count + 2 <= FarTouches::capacity; }

  /// Whether an access may follow.
  [[gnu::always_inline]] static bool touch(Ops& lanes, FrontState& s, const Touch& t) {
    const auto low = static_cast<std::uint32_t>(t.line);
    std::uint32_t found = lanes.match(s, low) & s.occupied;
    while (found != 0) {
      const auto lane = static_cast<unsigned>(__builtin_ctz(found));
      if (s.line[lane] == t.line) [[likely]] {
        near(lanes, s, t, lane);
        return true;
      }
      found &= found - 1;
    }
    far(lanes, s, t, low);
    return has_room(s);
  }

  [[gnu::always_inline]] static void near(Ops& lanes, FrontState& s, const Touch& t, unsigned lane) {
    const auto distance = static_cast<unsigned>(__builtin_popcount(lanes.touched.after(lane)));
    if constexpr (Sets) {
      const std::uint64_t pattern = lanes.agreed_with_later(s, lane, distance);
      count_pattern(s, pattern | std::uint64_t{t.group} << FrontState::pattern_group_shift, t.weight);
    } else {
      s.near[t.group][distance] += t.weight;
    }
    lanes.touched.raise(lane);
    lanes.to_front(s, distance);
    s.rows[(std::size_t{t.place} * FrontState::rows_per_place + t.kind) * FrontState::lanes + distance] += t.weight;
    if constexpr (Epochs) follow_epoch(s, t, lane, distance);
  }

  [[gnu::always_inline]] static void count_pattern(FrontState& s, std::uint64_t key, std::uint32_t weight) {
    const std::uint64_t offset = (key * 0x9e3779b97f4a7c15u) >> 50 & ~(sizeof(FrontState::Pattern) - 1);
    static_assert(FrontState::pattern_slots * sizeof(FrontState::Pattern) == 1u << (64 - 50));
    auto& p = *reinterpret_cast<FrontState::Pattern*>(reinterpret_cast<std::byte*>(s.patterns) + offset);
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
    const std::uint32_t greatest = s.greatest[lane] > distance ? s.greatest[lane] : distance;
    if (t.kind == 0) {
      s.greatest[lane] = greatest;
      return;
    }
    s.greatest[lane] = 0;
    if (s.written[lane]) [[likely]] {
      s.ended[greatest] += t.weight;
      return;
    }
    s.events[s.event_count++] = {s.far->count, Line{t.line}, greatest, t.weight, true};
    s.written[lane] = true;
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
    if constexpr (Sets) {
      far.demotion[i] =
          leaves ? demotion(s.agreed[lane], ~lanes.entered.after(lane) & ~(1u << lane), s.first_level) : 0;
    }
    if constexpr (Epochs) {
      if (leaves && s.greatest[lane] != 0) s.events[s.event_count++] = {i, far.left[i], s.greatest[lane], 1, false};
      s.greatest[lane] = 0;
      s.written[lane] = t.kind != 0 && t.weight != 0;
    }
    s.occupied |= 1u << lane;
    s.line[lane] = t.line;
    lanes.template enter<Sets>(s, lane, low);
    lanes.touched.raise(lane);
    lanes.entered.raise(lane);
    lanes.to_front(s, FrontState::lanes - 1);
  }

  /// How a line that leaves stands to those that entered `before` it: 0 where it shares no set with any of them.
  [[gnu::always_inline]] static std::uint64_t demotion(std::uint64_t agreed, std::uint32_t before,
                                                       unsigned first_level) {
    constexpr std::uint64_t every_byte = 0x0101010101010101u;
    constexpr std::uint64_t upper_bits = every_byte << 7;
    const std::uint64_t bit_of_each = (before & 0xff) * every_byte & 0x8040201008040201u;
    const std::uint64_t earlier = (bit_of_each + ~upper_bits) & upper_bits;
    const std::uint64_t needed = agreed + (0x7f - first_level) * every_byte;
    return (needed & earlier) == 0 ? 0 : agreed | earlier;
  }
};

template <class Ops>
struct FrontEntry {
  static FrontKernels kernels() { return {&accesses, &touches, &relate}; }

 private:
  static void relate(FrontState& s) {
    const Ops lanes(s);
    for (unsigned lane = 0; lane < FrontState::lanes; ++lane)
      s.agreed[lane] = lanes.agreed_with_all(s, lane, s.low[lane]);
  }
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
