// Curves and summaries of one stream: working sets, spatial use, memory usage, typical distances.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "cachescape/profile.hpp"
#include "model/kind_counts.hpp"
#include "model/miss_curve.hpp"
#include "model/streams.hpp"

namespace cachescape::model {

/// Misses of a fully associative LRU cache of so many lines.
struct CurvePoint {
  std::uint64_t lines = 0;
  std::uint64_t misses = 0;
  double ratio = 0;  ///< misses / touches; 0 where there are no touches

  friend constexpr bool operator==(const CurvePoint&, const CurvePoint&) = default;
};

/// The working-set curve at every size where it changes, from 0 lines (everything misses) to the size from which on
/// only cold touches miss. Between two points the ratio is that of the smaller. O(bins × log bins).
std::vector<CurvePoint> curve_at_changes(const MissCurve& curve, Kinds kinds = Kinds::all);
/// The same at chosen sizes, in their order. O(lines × log bins).
std::vector<CurvePoint> curve_at(const MissCurve& curve, std::span<const std::uint64_t> lines,
                                 Kinds kinds = Kinds::all);
/// A size at which a working set comes to fit: the last doubling before it saves much, the next little.
struct Knee {
  CurvePoint at;
  double saved = 0;  ///< miss ratio at half the size − miss ratio here

  friend constexpr bool operator==(const Knee&, const Knee&) = default;
};
/// By ascending size. saved(C) = ratio(⌊C/2⌋) − ratio(C) is judged at every size C where the curve changes. The
/// largest is a knee, placed at the smallest size within the doubling below it that saves 95 % as much; then the
/// largest among sizes not within a factor of two of a knee, and so on while it is at least 5 % of the curve's whole
/// fall. `points` as from curve_at_changes(). O(points × log points).
std::vector<Knee> knees(std::span<const CurvePoint> points);
/// Sizes for drawing: whole numbers from `first` to `last`, `per_doubling` of them to each doubling, ascending, without
/// repetition, both ends included. Precondition: 1 ≤ first ≤ last, per_doubling ≥ 1.
std::vector<std::uint64_t> spaced_sizes(std::uint64_t first, std::uint64_t last, unsigned per_doubling);

/// How much of its lines a program uses, in a fully associative LRU cache of `size` bytes: StatCache's
/// use(B) = (1 − R/R_small) / (1 − B_small/B), R being misses per access at lines of B bytes and B_small the smallest
/// line size. 1 = each miss fetches all that is used of a line, 0 = longer lines save no miss; below 0 = they cost
/// misses.
struct SpatialUse {
  LineSize line{6};
  std::uint64_t misses = 0;
  std::optional<double> use;  ///< none for the smallest line, and where nothing misses there

  friend bool operator==(const SpatialUse&, const SpatialUse&) = default;
};
/// At every line size of the streams of everything, ascending.
std::vector<SpatialUse> spatial_use(const Streams& streams, Bytes size, Kinds kinds = Kinds::all);

/// The smallest memory in which the given share of all touches falls.
struct MemoryUse {
  unsigned per_cent = 0;
  std::uint64_t lines = 0;

  friend constexpr bool operator==(const MemoryUse&, const MemoryUse&) = default;
};
/// For 5, 10 … 100 % (Byfl's memory-usage histogram); empty where the profile has no popularity. A sample of lines is
/// scaled by 1 / `line_rate`.
std::vector<MemoryUse> memory_usage(std::span<const Bin> popularity, double line_rate = 1);

/// The middle of the finite distances, and the median absolute deviation from it (Byfl). Between two middle values:
/// their mean. None where every touch is cold. O(bins × log bins).
struct TypicalDistance {
  double median = 0;
  double deviation = 0;

  friend constexpr bool operator==(const TypicalDistance&, const TypicalDistance&) = default;
};
std::optional<TypicalDistance> typical_distance(const StackProfile& stack, Kinds kinds = Kinds::all);

}  // namespace cachescape::model
