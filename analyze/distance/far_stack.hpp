// Exact LRU stack distances of touches that were not found in a front (front.hpp).
//
// The lines that are not in the front, in the order of their last touches, are what stack_distances.hpp counts in: this
// is its engine without a front of its own. The naive twin is mattson_list.hpp, and so is what a front and this
// together are compared with.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "analyze/distance/front_state.hpp"
#include "analyze/distance/stack_distances.hpp"

namespace cachescape::analyze {

/// Time, memory and threads as StackDistances.
class FarStack {
 public:
  FarStack();
  explicit FarStack(const StackDistances::Options& options);
  FarStack(FarStack&&) noexcept;
  FarStack& operator=(FarStack&&) noexcept;
  ~FarStack();

  /// Each line enters a lane of the front, whose line leaves. Writes the distances, those that a full front adds
  /// included, or cold_distance. Lines beyond the first `most_lines` are not followed, as StackDistances says.
  /// Precondition: as many distances.
  void enter(const FarTouches& far, std::span<std::uint32_t> distances);

  /// Different lines that pass a full front, at least as many as it has lanes: they come in this order, and are
  /// remembered in that one, which has their numbers; the last of them take the front's lanes, in their order. `lanes`:
  /// those of the front, from the least to the most recently touched. False, with nothing changed, where there is no
  /// room for so many.
  struct Sweep {
    std::span<const Line> come;
    std::span<const std::uint16_t> leave;
    /// From this line on the next lines of so many streams come in turn, so many times. It need not be so for the
    /// numbers to be right.
    std::size_t first_regular = 0;
    std::size_t streams = 0;
    std::size_t periods = 0;
  };
  bool sweep(const Sweep& sweep, std::span<const std::uint8_t> lanes, std::span<std::uint32_t> distances);

  /// The lines for which keep(line) holds and that are not in the front, from the least to the most recently touched.
  std::vector<Line> recency_order(const std::function<bool(Line)>& keep) const;

  /// Those in the front included.
  std::uint64_t distinct_lines() const;
  std::uint64_t memory_bytes() const;

 private:
  struct Engine;
  std::unique_ptr<Engine> engine_;
};

}  // namespace cachescape::analyze
