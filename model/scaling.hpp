// From what was analysed to the whole program: the weights of a sampled profile's counts.
#pragma once

#include <cmath>
#include <cstdint>

#include "cachescape/profile.hpp"

namespace cachescape::model {

/// How the counts of one scope are scaled. For a profile of everything: weight 1 and no totals.
struct Scaling {
  Sampling::Method method = Sampling::Method::none;
  double weight = 1;   ///< touches of the program per touch that was counted
  double rate = 1;     ///< share of the lines or accesses that was analysed
  double windows = 0;  ///< interval sampling: stretches of analysed accesses
  /// The touches of the scope by kind where they are known better than by weight × count (all zero elsewhere): what the
  /// weighted counts lack or exceed is made up at distance 0.
  KindCounts totals{};

  /// What `count` counted touches stand for. Exact for weight 1, whatever the count.
  std::uint64_t scaled(std::uint64_t count) const {
    return weight == 1 ? count : static_cast<std::uint64_t>(std::llround(weight * static_cast<double>(count)));
  }
  bool sampled() const { return method != Sampling::Method::none; }
  bool by_lines() const { return method == Sampling::Method::shards_rate || method == Sampling::Method::shards_size; }
};

/// - interval: accesses / analysed.
/// - blocks: 1; the counts of each block were multiplied when they were recorded.
/// - SHARDS: 1 / rate, which makes the misses unbiased (where the rate fell, counts are already those of the final
/// rate),
///   and the scope's accesses as totals: whether the few hottest lines were chosen changes the number of sampled
///   touches most, and those touches have distances near 0 (SHARDS-adj: Waldspurger et al., FAST 2015). An access that
///   straddles lines counts once in these totals.
Scaling scaling_of(const Profile& profile, const Scope& scope);

}  // namespace cachescape::model
