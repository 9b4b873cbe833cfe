// What one group knows of each line, by the line's number.
//
// Runs of numbers have theirs side by side, and a run has some as soon as one of its lines is touched: 9 bytes per line
// where those of a run are used together. Nothing moves. Single-threaded. Throws std::bad_alloc where memory runs out.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "analyze/distance/last_touch_memory.hpp"

namespace cachescape::analyze {

/// All zero: the group has never touched the line.
struct LineRecord {
  std::uint32_t time = 0;  ///< in its HoleStack
  /// Of a line that others have taken: 1 + how deep it was. Of others, where they are written: 1 + how deep they have
  /// been since; else 0.
  std::uint32_t mark = 0;
};

/// How a group has a line. Records lag behind; this is always known.
enum class Hold : std::uint8_t {
  none,
  held,  ///< it touched the line and nobody has taken it
  own,   ///< it wrote the line and nobody else has touched it
};

class LineTable {
 public:
  /// Numbers that are together.
  static constexpr std::uint32_t run = 256;

  LineTable() : memory_(sizeof(Run), Mapping::Pages::huge) {}

  LineRecord& record(std::uint32_t number) { return run_of(number).records[number % run]; }
  Hold& hold(std::uint32_t number) { return run_of(number).holds[number % run]; }

  /// Brings what there is nearer to the processor.
  void prefetch(std::uint32_t number) const {
    if (number / run >= runs_.size() || runs_[number / run] == nullptr) return;
    __builtin_prefetch(runs_[number / run]->records.data() + number % run, 1);
    __builtin_prefetch(runs_[number / run]->holds.data() + number % run, 1);
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
    std::array<Hold, run> holds;
  };

  Run& run_of(std::uint32_t number) {
    if (number / run >= runs_.size()) [[unlikely]]
      runs_.resize(number / run + 1);
    Run*& r = runs_[number / run];
    if (r == nullptr) [[unlikely]]
      r = static_cast<Run*>(memory_.take());
    return *r;
  }

  std::vector<Run*> runs_;
  Arena memory_;
};

}  // namespace cachescape::analyze
