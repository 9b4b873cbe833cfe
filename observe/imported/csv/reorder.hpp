// Puts rows into the order of their times, as far as a bounded window allows.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "cachescape/access.hpp"

namespace cachescape::imported {

/// A time of any unit: whole units and billionths of one.
struct Time {
  std::uint64_t whole = 0;
  std::uint32_t billionths = 0;

  friend constexpr auto operator<=>(const Time&, const Time&) = default;
};

/// Holds up to `rows` rows and gives back the earliest; rows of the same time in the order in which they came.
/// Rows that come in order cost O(1), others O(log rows).
class ReorderWindow {
 public:
  explicit ReorderWindow(std::size_t rows) : rows_(rows) {}

  /// False, without effect, where `time` is earlier than that of a row already taken.
  bool add(Time time, const Access& access);
  /// Whether the earliest row has to be taken before another one is added.
  bool full() const { return size() >= rows_; }
  bool empty() const { return size() == 0; }
  std::size_t size() const { return run_.size() + strays_.size(); }
  /// Precondition: !empty().
  Access take();

 private:
  struct Row {
    Time time;
    Access access;
  };
  struct Stray {
    Row row;
    std::uint64_t arrival;
  };
  static bool later(const Stray& a, const Stray& b) {
    return a.row.time != b.row.time ? a.row.time > b.row.time : a.arrival > b.arrival;
  }

  std::size_t rows_;
  std::deque<Row> run_;        ///< rows that came in order
  Time newest_;                ///< time of the last row that joined run_
  std::vector<Stray> strays_;  ///< rows that came out of order: a heap, earliest first
  std::uint64_t arrivals_ = 0;
  Time taken_;
};

}  // namespace cachescape::imported
