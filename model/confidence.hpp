// How far a sampled profile's misses may be off.
#pragma once

#include <cstdint>

#include "model/stream_model.hpp"

namespace cachescape::model {

/// Misses of the whole program: the true number lies in [low, high] with about 95 % confidence.
struct Interval {
  std::uint64_t low = 0;
  std::uint64_t high = 0;

  friend constexpr bool operator==(const Interval&, const Interval&) = default;
};

/// The variance of stream.misses(sets, ways, stretch), added up over kinds; 0 where everything was analysed. Only the
/// spread that sampling causes: the model's own error is not in it.
///
/// - Lines chosen by hash: lines are drawn independently with probability r, which acts twice. On the misses counted:
///   (1 − r)/r² × the sum over the sampled lines of m², m being a line's sampled misses. A profile does not keep m; it
///   is taken to be proportional to the line's touches, up to the most that the cache's size allows (between two misses
///   of a line at least so many others are touched); without the popularity of lines, as unequal as an exponential
///   distribution makes them. And on distances: C lines stand for r C sampled ones, whose number varies by
///   √(C (1 − r) / r) lines of the program; the misses at sizes so much smaller and larger tell what that is worth.
/// - Intervals: the windows are taken as drawn independently. The miss ratio of a window lies between 0 and 1, so its
///   variance is p (1 − p) at most: an upper bound.
/// - Blocks: as intervals, for the least number of windows that the analysed accesses can have come from. That a
/// block's
///   later executions may differ from its first ones is not in it.
/// A profile without a single sampled miss is given one.
double miss_variance(const StreamModel& stream, std::uint64_t sets, std::uint64_t ways, double stretch = 1);

/// The normal approximation, cut to [0, at_most].
Interval interval_of(std::uint64_t misses, double variance, std::uint64_t at_most);

}  // namespace cachescape::model
