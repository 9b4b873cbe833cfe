// What one group knows of each line, by the line's number.
//
// Runs of numbers have theirs side by side, and a run has some as soon as one of its lines is touched: 8 bytes per line
// where those of a run are used together. Nothing moves. Single-threaded. Throws std::bad_alloc where memory runs out.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "analyze/distance/last_touch_memory.hpp"

namespace cachescape::analyze {

/// How a group has a line.
enum class Hold : std::uint8_t {
  none,
  held,  ///< it touched the line and nobody has taken it
  own,   ///< it wrote the line and nobody else has touched it since
};

/// All zero: the group has never touched the line. Lines are fewer than 2^30.
struct LineRecord {
  std::uint32_t time = 0;  ///< in its HoleStack
  /// Of a line that others have taken: 1 + how deep it was. Of the group's own: 1 + how deep it has been since it was
  /// written. Else 0. Like the time, it is true as of the events that are settled.
  std::uint32_t mark : 30 = 0;
  std::uint32_t held_as : 2 = 0;

  Hold hold() const { return static_cast<Hold>(held_as); }
  void set_hold(Hold hold) { held_as = static_cast<std::uint32_t>(hold) & 3; }
  void set_mark(std::uint32_t depth) { mark = (depth + 1) & 0x3fffffff; }
};
static_assert(sizeof(LineRecord) == 8);

class LineTable {
 public:
  /// Numbers that are together.
  static constexpr std::uint32_t run = 256;

  LineTable() : memory_(sizeof(Run), Mapping::Pages::huge) {}

  LineRecord& operator[](std::uint32_t number) {
    if (number / run >= runs_.size() || runs_[number / run] == nullptr) [[unlikely]]
      make_run(number / run);
    return runs_[number / run]->records[number % run];
  }

  /// Calls visit(record, one that comes up some time later) for each. Returns how many there are.
  template <class Visit>
  std::size_t for_each(Visit visit) const {
    constexpr std::size_t ahead = 16;
    std::size_t all = 0;
    for (const Arena::Segment& segment : memory_.segments()) {
      Run* const first = segment.memory.as<Run>();
      for (Run* r = first; r != first + segment.used / sizeof(Run); ++r) {
        for (std::size_t i = 0; i < run; ++i) visit(r->records[i], r->records[i + ahead < run ? i + ahead : i]);
        all += run;
      }
    }
    return all;
  }

  std::uint64_t memory_bytes() const {
    std::uint64_t bytes = runs_.capacity() * sizeof(Run*);
    for (const Arena::Segment& segment : memory_.segments()) bytes += segment.used;
    return bytes;
  }

 private:
  struct Run {
    std::array<LineRecord, run> records;
  };

  [[gnu::noinline]] void make_run(std::uint32_t at) {
    if (at >= runs_.size()) runs_.resize(at + 1);
    runs_[at] = static_cast<Run*>(memory_.take());
  }

  std::vector<Run*> runs_;
  Arena memory_;
};

}  // namespace cachescape::analyze
