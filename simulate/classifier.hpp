// Why a cache instance missed: keeps what the classes of docs/design/simulator.md need to know.
#pragma once

#include <cstdint>
#include <optional>

#include <boost/unordered/unordered_flat_map.hpp>

#include "cachescape/outcome.hpp"
#include "machine/machine.hpp"
#include "simulate/byte_mask.hpp"
#include "simulate/byte_range.hpp"
#include "simulate/shadow.hpp"

namespace cachescape::simulate {

/// One per instance. Memory grows with the lines ever requested (about 20 bytes each).
class Classifier {
 public:
  explicit Classifier(const machine::Level& level) : line_(level.line), shadow_(level.lines()) {}

  /// To be told of every request, before anything else happens; remembers what the shadow knew.
  void requested(Line line) { shadow_held_ = shadow_.use(line.value); }
  /// The request hit: what the instance holds, its shadow has seen as recently.
  void hit(Line line) {
    if (!shadow_held_) shadow_.insert(line.value);
  }
  /// The request missed: counts it in its class. `used` are the bytes that the original access uses.
  void missed(Line line, ByteRange used, MissClasses& classes);

  void inserted(Line line) { shadow_.insert(line.value); }
  void handed_over(Line line) { shadow_.remove(line.value); }
  void invalidated(Line line);
  void removed_by_inclusion(Line line) { departures_[line.value] = Departure::by_inclusion; }

  /// A core outside this instance's subtree wrote `range`.
  void written_elsewhere(ByteRange range);

 private:
  enum class Departure : std::uint8_t { unremarkable, by_inclusion, by_invalidation };

  LineSize line_;
  Shadow shadow_;
  bool shadow_held_ = false;
  /// Every line ever requested, and how it last left.
  boost::unordered_flat_map<std::uint64_t, Departure> departures_;
  /// For lines that left by invalidation: what others have written since.
  boost::unordered_flat_map<std::uint64_t, ByteMask> written_;
};

}  // namespace cachescape::simulate
