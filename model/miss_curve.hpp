// A stack-distance histogram made ready for questions: the misses of a fully associative LRU cache of any size in
// O(log bins). Mattson et al., 1970.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "cachescape/profile.hpp"
#include "model/kind_counts.hpp"
#include "model/scaling.hpp"

namespace cachescape::model {

/// Immutable; safe from any thread. Counts are those of the whole program: exact where everything was analysed,
/// estimates rounded to whole touches where the profile was sampled.
class MissCurve {
 public:
  /// O(bins).
  MissCurve(const StackProfile& stack, const Scaling& scaling);

  const KindCounts& touches() const { return touches_; }
  const KindCounts& cold() const { return cold_; }

  /// Misses of a fully associative LRU cache of `lines` lines: touches with D ≥ lines, and cold ones. Never grows with
  /// `lines`; all touches for 0 lines. O(log bins).
  KindCounts misses(std::uint64_t lines) const { return lines == 0 ? touches_ : scaled_misses(index_of(lines)); }

  // For models that weigh distances themselves.

  /// All distances that occur, of any kind, ascending.
  std::span<const std::uint64_t> distances() const { return distances_; }
  /// The first index into distances() whose distance is at least `distance`.
  std::size_t index_of(std::uint64_t distance) const;
  /// Counted touches with one of the first `index` distances, before scaling.
  std::uint64_t counted_below(AccessKind kind, std::size_t index) const { return below_[at(kind)][index]; }
  /// The sum of their distances.
  double distance_sum_below(AccessKind kind, std::size_t index) const { return moment_below_[at(kind)][index]; }
  /// Misses of the whole program when `hits` of the counted touches hit, by kind.
  KindCounts scaled_misses(const std::array<double, access_kinds>& hits) const;

 private:
  static constexpr std::size_t at(AccessKind kind) { return static_cast<std::size_t>(kind); }
  KindCounts scaled_misses(std::size_t index) const;

  Scaling scaling_;
  std::vector<std::uint64_t> distances_;
  std::array<std::vector<std::uint64_t>, access_kinds> below_;  ///< one longer than distances_
  std::array<std::vector<double>, access_kinds> moment_below_;
  KindCounts counted_cold_{};
  KindCounts cold_{};
  KindCounts touches_{};
};

}  // namespace cachescape::model
