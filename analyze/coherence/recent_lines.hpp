// The few lines that a group touched last, and in which order: where most touches find theirs.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <utility>

namespace cachescape::analyze {

/// Lines stay in their slots while the order changes. Used by one thread at a time.
class RecentLines {
 public:
  static constexpr unsigned slots = 4;

  RecentLines() { lines_.fill(no_line); }

  /// The line's slot; `slots` where it has none.
  unsigned find(std::uint64_t line) const {
    unsigned found = 0;
    for (unsigned i = 0; i < slots; ++i) found |= static_cast<unsigned>(lines_[i] == line) << i;
    if (found == 0) return slots;
    const auto slot = static_cast<unsigned>(std::countr_zero(found));
    // Free slots are the ones that come last.
    return line != no_line || place(slot) < filled_ ? slot : slots;
  }
  std::uint64_t line(unsigned slot) const { return lines_[slot]; }
  unsigned filled() const { return filled_; }

  /// How many lines of the others were touched since this one. The line is now the one touched last.
  unsigned touch(unsigned slot) {
    const Move move = moves.of[order_][slot];
    order_ = move.order;
    return move.place;
  }
  /// The slot of the line touched longest ago, or a free one.
  unsigned oldest() const { return order_ >> 2 * (slots - 1); }
  /// The slot of the line touched `place` lines ago.
  unsigned at(unsigned place) const { return order_ >> 2 * place & 3; }

  /// Puts a line into the oldest's slot; it is the one touched last.
  void push(std::uint64_t line) {
    const unsigned slot = oldest();
    lines_[slot] = line;
    if (filled_ < slots) ++filled_;
    touch(slot);
  }
  void clear() {
    lines_.fill(no_line);
    filled_ = 0;
  }

 private:
  static constexpr std::uint64_t no_line = ~std::uint64_t{0};

  /// An order: two bits per place, the first lowest.
  using Order = std::uint8_t;
  struct Move {
    Order order;
    std::uint8_t place;
  };
  static constexpr unsigned place_in(unsigned order, unsigned slot) {
    unsigned place = 0;
    while (place < slots - 1 && (order >> 2 * place & 3) != slot) ++place;
    return place;
  }
  unsigned place(unsigned slot) const { return place_in(order_, slot); }
  /// What a touch of a slot makes of each order.
  struct Moves {
    Move of[256][slots] = {};
    constexpr Moves() {
      for (unsigned order = 0; order < 256; ++order) {
        for (unsigned slot = 0; slot < slots; ++slot) {
          const unsigned place = place_in(order, slot);
          const unsigned above = order & ((1u << 2 * place) - 1);
          const unsigned below = order >> 2 * (place + 1) << 2 * (place + 1);
          of[order][slot] = {static_cast<Order>(below | above << 2 | slot), static_cast<std::uint8_t>(place)};
        }
      }
    }
  };
  static const Moves moves;

  std::array<std::uint64_t, slots> lines_;
  Order order_ = 0b11100100;
  unsigned filled_ = 0;
};

inline constexpr RecentLines::Moves RecentLines::moves{};

}  // namespace cachescape::analyze
