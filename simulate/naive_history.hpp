// What one cache remembers in order to say why it missed: the chapter "Classes" of
// docs/design/simulator.md. The naive twin: sets and lists, nothing shared, nothing clever.
// Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <set>

#include "cachescape/line.hpp"
#include "cachescape/outcome.hpp"
#include "cachescape/quantity.hpp"
#include "simulate/naive_bytes.hpp"

namespace cachescape::simulate {

/// A fully associative LRU cache of line numbers.
class NaiveShadow {
 public:
  explicit NaiveShadow(std::uint64_t lines) : lines_(lines) {}

  bool holds(Line line) const;
  void use_if_held(Line line);
  /// Inserts the line, or uses it where it is present.
  void insert(Line line);
  void remove(Line line);

 private:
  std::uint64_t lines_;
  std::list<Line> most_recent_first_;
};

class NaiveHistory {
 public:
  NaiveHistory(LineSize line_size, std::uint64_t lines) : line_size_(line_size), shadow_(lines) {}

  /// Adds 1 to the class of a miss of `line` on behalf of an access that uses `used`. Call before requested().
  void classify(Line line, naive::ByteRange used, MissClasses& classes) const;
  /// The line was looked up by touch, request or push.
  void requested(Line line);
  /// The line was inserted, or hit, or arrived from a nearer level while it was resident.
  void inserted(Line line);
  /// The line left because it hit in an exclusive level.
  void handed_over(Line line);
  /// The line left because a peer wrote it.
  void invalidated(Line line);
  /// The line left because an inclusive outer level evicted it.
  void removed_by_inclusion(Line line);
  /// A core outside the instance's subtree wrote these bytes.
  void written_elsewhere(naive::ByteRange used);

 private:
  enum class Departure : std::uint8_t { invalidated, inclusion };
  struct DepartureRecord {
    Departure why;
    std::set<Address> written_since;  ///< bytes of the line
  };

  LineSize line_size_;
  NaiveShadow shadow_;
  std::set<Line> requested_;
  std::map<Line, DepartureRecord> departures_;
};

}  // namespace cachescape::simulate
