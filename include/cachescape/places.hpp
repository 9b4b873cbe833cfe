// Where in a program accesses are made, and on what: the part of a profile that knows source code.
//
// Everything refers to everything else by index into these vectors, so that the value can be kept as tables.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "cachescape/access.hpp"
#include "cachescape/histogram.hpp"
#include "cachescape/line.hpp"

namespace cachescape {

/// No location, no block, no object.
inline constexpr std::uint32_t nowhere = std::numeric_limits<std::uint32_t>::max();

/// A point in the source, as debug information tells it; parts that are unknown are empty or 0.
struct Location {
  std::string function;  ///< the source function, demangled
  std::string file;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::uint32_t inlined_at = nowhere;  ///< location of the call that was inlined here

  friend auto operator<=>(const Location&, const Location&) = default;
};

/// A basic block, or a whole function where an observer does not see blocks.
struct Block {
  std::string function;  ///< the function that contains it once everything is inlined, demangled
  std::string module;    ///< source file or binary that it was compiled from
  std::uint32_t location = nowhere;
  std::uint32_t loop_depth = 0;    ///< loops around it within its function
  bool entry = false;              ///< the function's first block
  std::uint64_t executions = 0;    ///< how often it ran in all; 0 where it was not counted
  std::uint64_t instructions = 0;  ///< of its intermediate code or of the machine, per execution

  friend bool operator==(const Block&, const Block&) = default;
};

/// A static instruction that accesses memory.
struct Site {
  std::uint32_t location = nowhere;
  std::uint32_t block = nowhere;
  std::string variable;  ///< what it accesses, as the source names it: a variable, `array[]`, `struct.field`
  std::string type;      ///< of the value moved: i64, f64, ptr, <4 x f64>

  friend bool operator==(const Site&, const Site&) = default;
};

/// A data structure in memory.
struct Object {
  enum class Kind : std::uint8_t { unknown, heap, global, stack };
  Kind kind = Kind::unknown;
  std::string name;                  ///< the variable, or the function that allocated it
  std::uint32_t location = nowhere;  ///< where it is declared or allocated (then with the calls around as inlined_at)
  std::uint64_t allocations = 0;     ///< how often it was made
  std::uint64_t bytes = 0;           ///< of all of them together
  std::uint64_t most_bytes = 0;      ///< at one time

  friend bool operator==(const Object&, const Object&) = default;
};

/// Something that was counted for each execution of a block: loads, flops, calls of a function.
struct Counted {
  std::string metric;  ///< docs/reference/counters.md lists them
  std::uint32_t block = nowhere;
  std::uint64_t value = 0;

  friend bool operator==(const Counted&, const Counted&) = default;
};

/// A stack of calls, innermost last: a function, called from another stack. A function that occurs among its callers is
/// part of the stack that it has there.
struct Context {
  std::uint32_t caller = nowhere;  ///< index of an earlier context
  std::string function;     ///< that contains the code once everything is inlined; in parentheses: what is unknown
  std::string module;       ///< source file that it was compiled from
  bool recursive = false;   ///< it was called again below itself
  std::uint64_t calls = 0;  ///< how often it was entered

  friend bool operator==(const Context&, const Context&) = default;
};

/// No chain of callers in a profile is longer.
inline constexpr std::size_t most_callers = 1024;

/// What was counted in the function itself while it was called so; what it calls counts for itself.
struct ContextCounted {
  std::uint32_t context = 0;
  std::string metric;
  std::uint64_t value = 0;

  friend bool operator==(const ContextCounted&, const ContextCounted&) = default;
};

/// What one place does at one line size. Distances are kept to five binary digits (place_distance()), which is exact
/// for caches whose number of lines has no more: 512, 640, 768 …
struct PlaceDistances {
  std::uint32_t place = 0;  ///< index of a site or of an object
  KindCounts accesses{};
  std::uint64_t bytes = 0;
  std::array<Histogram, access_kinds> kinds;  ///< touches, by AccessKind

  /// Adds what another place does.
  void add(const PlaceDistances& other) {
    add_to(bytes, other.bytes);
    for (std::size_t k = 0; k < access_kinds; ++k) {
      add_to(accesses[k], other.accesses[k]);
      add_to(kinds[k].cold, other.kinds[k].cold);
      kinds[k].bins = sum_of(kinds[k].bins, other.kinds[k].bins);
    }
  }

  friend bool operator==(const PlaceDistances&, const PlaceDistances&) = default;
};

struct Places {
  std::vector<Location> locations;
  std::vector<Block> blocks;
  std::vector<Site> sites;
  std::vector<Object> objects;
  std::vector<Counted> counted;
  std::vector<Context> contexts;                 ///< empty where counters were not kept by call stack
  std::vector<ContextCounted> context_counted;   ///< by ascending context and metric
  LineSize line{6};                              ///< of the distances below
  std::vector<PlaceDistances> site_distances;    ///< by ascending place; sites that never ran have none
  std::vector<PlaceDistances> object_distances;  ///< by ascending place

  bool empty() const { return blocks.empty() && sites.empty(); }
  friend bool operator==(const Places&, const Places&) = default;
};

/// A distance is counted under the least one with the same five leading binary digits: 0 … 31 exactly, then sixteen
/// steps to each doubling.
constexpr std::uint64_t place_distance(std::uint64_t distance) {
  if (distance < 32) return distance;
  const int drop = 59 - __builtin_clzll(distance);
  return distance >> drop << drop;
}

}  // namespace cachescape
