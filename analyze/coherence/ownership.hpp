// Whose a line is that several groups have touched.
//
// Groups that hold it, the one that wrote it last, and for each that a write has taken it from, what has been written
// since: masks of one bit per byte. The owner's own writes go into one mask; when ownership changes it is added to
// those of all groups that still miss the line, so that a write costs the same however many they are.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "analyze/coherence/sharing_events.hpp"

namespace cachescape::analyze {

constexpr std::uint64_t bit_of(std::uint32_t group) { return std::uint64_t{1} << group; }

/// A group that a write has taken a line from, until it touches it again.
struct Departure {
  std::uint64_t written = 0;  ///< bytes written by others since, those of the present owner left out
  // By whom it was taken: an access, whose bytes in the line are in a row.
  std::uint64_t place : 32 = 0;
  std::uint64_t thread : 14 = 0;
  std::uint64_t group : 6 = 0;  ///< that lost it
  std::uint64_t first : 6 = 0;
  std::uint64_t last : 6 = 0;

  SharingEvents::Use writer() const {
    return {static_cast<std::uint32_t>(thread), static_cast<std::uint32_t>(place),
            (~std::uint64_t{0} >> (63 - (last - first))) << first};
  }
};
static_assert(sizeof(Departure) == 16);

/// One cache line, as long as no more than two groups miss it; there may be millions. Groups are below 64.
class alignas(64) Ownership {
 public:
  /// So far one group alone has touched it, and has written it or not.
  Ownership(std::uint32_t group, bool written)
      : holders_(bit_of(group)), owner_(static_cast<std::uint8_t>(group)), owned_(written), dirty_(written) {}

  std::uint32_t owner() const { return owner_; }
  /// The group that wrote it last, if it is another one and nobody else has touched the line since.
  std::uint64_t changed_elsewhere(std::uint32_t group) const { return dirty_ && owner_ != group ? bit_of(owner_) : 0; }
  /// The owner's data have been seen.
  void clean() { dirty_ = false; }
  std::uint64_t others_that_hold(std::uint32_t group) const { return holders_ & ~bit_of(group); }

  /// The group touches the line. Where a write had taken it away: since when, in `departure`; what was written since
  /// includes what the present owner wrote.
  bool come_back(std::uint32_t group, Departure& departure) {
    if ((holders_ & bit_of(group)) != 0) return false;
    holders_ |= bit_of(group);
    for (std::uint8_t i = 0; i < departures_; ++i) {
      if (at(i).group != group) continue;
      departure = at(i);
      departure.written |= written_;
      at(i) = at(--departures_);
      if (departures_ == few) rest_.reset();
      return true;
    }
    return false;
  }

  /// The group writes some bytes and takes the line from all others. Precondition: it holds it.
  void take(std::uint32_t group, const SharingEvents::Use& use) {
    if (others_that_hold(group) != 0 || !owned_ || owner_ != group) {
      for (std::uint8_t i = 0; i < departures_; ++i) at(i).written |= written_;
      written_ = 0;
      for (std::uint64_t others = others_that_hold(group); others != 0; others &= others - 1)
        depart(static_cast<std::uint32_t>(std::countr_zero(others)), use);
      holders_ = bit_of(group);
      owner_ = static_cast<std::uint8_t>(group);
      owned_ = true;
    }
    dirty_ = true;
    written_ |= use.bytes;
  }
  /// The owner writes more. Precondition: nobody else has touched it since it did.
  void write(std::uint64_t bytes) { written_ |= bytes; }

  /// Where SharingEvents keep what they know of the line.
  std::uint32_t& report() { return report_; }

 private:
  static constexpr std::uint8_t few = 2;

  Departure& at(std::uint8_t i) { return i < few ? first_[i] : rest_[i - few]; }
  void depart(std::uint32_t group, const SharingEvents::Use& use) {
    // Room for 2, 4, 8 … more.
    if (const unsigned more = departures_ - few;
        departures_ >= few && (more == 0 || (more > 1 && std::has_single_bit(more)))) {
      auto room = std::make_unique<Departure[]>(std::max(2u, 2 * more));
      std::copy_n(rest_.get(), more, room.get());
      rest_ = std::move(room);
    }
    Departure& d = at(departures_++);
    d.written = 0;
    d.place = use.place;
    d.thread = use.thread & 0x3fff;
    d.group = group & 63;
    d.first = static_cast<unsigned>(std::countr_zero(use.bytes)) & 63;
    d.last = (63 - static_cast<unsigned>(std::countl_zero(use.bytes))) & 63;
  }

  std::uint64_t holders_;
  std::uint64_t written_ = 0;  ///< by the owner, since it took the line from others
  std::uint32_t report_ = 0;
  std::uint8_t owner_;  ///< the group that wrote last
  bool owned_;          ///< some group ever wrote it
  bool dirty_;          ///< the owner's data have been seen by nobody
  std::uint8_t departures_ = 0;
  std::array<Departure, few> first_;
  std::unique_ptr<Departure[]> rest_;
};
static_assert(sizeof(Ownership) == 64);

}  // namespace cachescape::analyze
