// Exact LRU stack distances, fully associative, all cache sizes at once.
//
// For each touch of a line: how many distinct other lines were touched since that line's last touch. Touches are
// numbered; a line's last touch is looked up in a shadow of the address space (last_touch.hpp) and the live touches
// after it are counted in a bitmap with counters above it, 64 touches at a time (stack_window.hpp). The method, its
// cost and its measurements are in docs/design/stack-distance.md; the naive twins are mattson_list.hpp and
// inversion_count.hpp.
//
// Time: constant per touch for immediate and short reuses, O(log) with base 64 for the others, plus an occasional
// renumbering that is linear in the number of lines and comes after at least three times as many touches.
// Memory: about 6 bytes per distinct line where lines are dense, at most 32 MiB + 66 bytes per line for any numbers (82
// while a table grows). Threads: an instance belongs to one thread at a time; instances share nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "analyze/distance/instruction_set.hpp"
#include "cachescape/quantity.hpp"

namespace cachescape::analyze {

/// The distance of a first touch.
inline constexpr std::uint32_t cold_distance = 0xffffffff;

class StackDistances {
 public:
  using Path = InstructionSet;

  static constexpr std::uint64_t most_lines = std::uint64_t{1} << 31;

  /// Everything has a good default; other values are for tests and for tight memory.
  struct Options {
    Path path = Path::automatic;
    /// Touches before the first renumbering; rounded up to a multiple of 128, at least 256.
    std::uint64_t window_touches = std::uint64_t{1} << 19;
    /// How far the shadow may exceed 32 bytes per line before scattered lines are hashed.
    std::size_t shadow_slack_bytes = std::size_t{32} << 20;
    /// Distinct lines followed; at most `StackDistances::most_lines`.
    std::uint64_t most_lines = StackDistances::most_lines;
  };

  StackDistances();
  /// Throws std::bad_alloc where memory runs out. So does process(), after which only the destructor may be called.
  explicit StackDistances(const Options& options);
  StackDistances(StackDistances&&) noexcept;
  StackDistances& operator=(StackDistances&&) noexcept;
  ~StackDistances();

  /// For each line touched, in order, the number of distinct other lines touched since its last touch, or
  /// cold_distance. How the stream is cut into calls does not change the results.
  /// Lines beyond the first `most_lines` distinct ones are not followed: each of their touches is reported cold and
  /// counts in nobody's distance; untracked_touches() tells how many there were.
  /// Precondition: distances.size() == lines.size().
  void process(std::span<const Line> lines, std::span<std::uint32_t> distances);

  /// What process() would say of a touch now, without making it.
  std::uint32_t distance(Line line) const;
  /// Greater for lines touched later, 0 for those never touched. The numbers change with every process(), their order
  /// does not.
  std::uint64_t recency(Line line) const;
  /// Each of the two lines takes the other's last touch, or has none where the other had none.
  void exchange(Line a, Line b);
  /// Brings what the above read of a line nearer to the processor.
  void prefetch(Line line) const;

  /// The lines for which keep(line) holds, from the least to the most recently touched. Feeding them to a new instance
  /// makes it continue as if it had been fed only those from the start. Takes time and memory for each line followed.
  std::vector<Line> recency_order(const std::function<bool(Line)>& keep) const;

  /// Distinct lines followed so far: the footprint, in lines.
  std::uint64_t distinct_lines() const;
  /// Touches of lines past the limit.
  std::uint64_t untracked_touches() const;
  /// Memory that this instance holds, without address space that it merely reserved and without the unused rest of
  /// its last huge page.
  std::uint64_t memory_bytes() const;
  /// What Path::automatic came to.
  Path path() const;

 private:
  struct Engine;
  std::unique_ptr<Engine> engine_;
};

}  // namespace cachescape::analyze
