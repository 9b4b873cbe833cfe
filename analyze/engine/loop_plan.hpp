// What a loop over arrays comes to at one line size, worked out once for all loops of the same shape.
//
// The accesses of such a loop move by one step; its lines come and go in a pattern that repeats. Most touches find a
// line that the loop has touched shortly before: their distances follow from the pattern alone. What remains for the
// engines is the first touch of each line and, unless lines leave in the order in which they came, its last one.
// docs/design/loops.md says why that is exact.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "analyze/engine/stretch.hpp"
#include "cachescape/line.hpp"

namespace cachescape::analyze {

/// Loops of one shape differ in where their arrays lie, not in how their accesses fall into lines.
struct LoopShape {
  struct Slot {
    std::uint32_t cluster;  ///< slots that pass the same lines, one shortly after the other
    std::uint32_t size;
    std::int64_t offset;  ///< of the first address from the cluster's first line
    AccessKind kind;

    friend bool operator==(const Slot&, const Slot&) = default;
  };

  std::int64_t step = 0;
  std::uint64_t iterations = 0;  ///< of a loop of this shape that has one period
  std::uint64_t before = 0;      ///< iterations until the pattern repeats; all of them if it does not
  std::uint64_t period = 0;      ///< iterations after which it repeats; 0: it does not
  std::int64_t advance = 0;      ///< lines passed in a period
  std::vector<Slot> slots;

  friend bool operator==(const LoopShape&, const LoopShape&) = default;
};

/// A loop seen as a shape, which is kept from one call to the next.
struct ShapedLoop {
  LoopShape shape;
  std::uint64_t periods = 0;               ///< how often this loop repeats it
  std::vector<std::uint64_t> first_lines;  ///< of the clusters

  /// False where the loop has no shape that pays: accesses that move by different steps, or far, or none.
  bool see(const Loop& loop, LineSize size);

 private:
  std::vector<std::uint32_t> order_;
};

/// Lines of a cluster, counted from its first, from … to; none at first.
struct Reach {
  std::int64_t lowest = std::numeric_limits<std::int64_t>::max();
  std::int64_t highest = std::numeric_limits<std::int64_t>::min();

  void add(const Reach& more, std::int64_t lines_on) {
    if (more.lowest > more.highest) return;
    lowest = std::min(lowest, more.lowest + lines_on);
    highest = std::max(highest, more.highest + lines_on);
  }
};

class LoopPlan {
 public:
  /// Any pattern that is planned repeats after so many iterations.
  static constexpr std::uint64_t trips_per_pattern = 64;

  /// A line of a cluster, counted from its first.
  struct Where {
    std::uint32_t cluster;
    std::int32_t line;

    friend auto operator<=>(const Where&, const Where&) = default;
  };
  /// A touch that the engines have to see.
  struct Kept {
    Where where;
    std::uint16_t slot;
    bool counted;  ///< its distance counts: it is the first; otherwise it is there for the order
    bool leaves;   ///< the order of these is that in which lines leave
  };
  /// A line that comes and leaves while others stay.
  struct Nested {
    std::uint32_t came;         ///< so many lines of the part came before it
    std::vector<Where> around;  ///< those that stay
  };
  /// Touches whose distance is known.
  struct Known {
    std::uint16_t slot;
    std::uint32_t distance;
    std::uint64_t times;

    friend bool operator==(const Known&, const Known&) = default;
  };
  /// Touches of which it is known which lines come between: what falls into their sets follows from where they lie.
  struct Crossed {
    AccessKind kind;
    std::uint32_t cluster;
    std::vector<Where> others;  ///< lines counted from the touched one's
    std::uint64_t times;
  };
  /// What happens to a line's epoch between writes after its first touch.
  struct Epoch {
    std::uint32_t after;  ///< so many kept touches of the part
    Where where;
    std::uint32_t distance;
    bool writes;
  };
  struct Part {
    std::vector<Kept> kept;
    std::uint32_t came = 0;  ///< lines that are touched for the first time
    std::uint32_t left = 0;  ///< those that leave
    std::vector<Known> known;
    std::vector<Crossed> crossed;
    std::vector<Epoch> epochs;
    std::vector<Known> ended_epochs;  ///< by greatest distance
    KindCounts immediate{};           ///< touches at distance 0, of those that are known
    std::vector<Nested> nested;       ///< in their order
    std::vector<Reach> reach;         ///< of what is kept, by cluster
  };

  explicit LoopPlan(const LoopShape& shape, LineSize size);

  /// The loop is before(), period() as often as it has periods, each time `advance` lines farther, and after(), as far
  /// as the last period.
  const Part& before() const { return parts_[0]; }
  const Part& period() const { return parts_[1]; }
  const Part& after() const { return parts_[2]; }

  /// Whether lines leave in the order in which they came.
  bool first_in_first_out() const { return first_in_first_out_; }

  /// Lines that stay longer than one that comes after them, at the most.
  std::size_t most_around() const { return most_around_; }

  std::uint64_t memory_bytes() const;

 private:
  void keep(Part& part, const Kept& kept);

  Part parts_[3];
  bool first_in_first_out_;
  std::size_t most_around_ = 0;
};

}  // namespace cachescape::analyze
