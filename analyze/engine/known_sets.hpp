// Set distances of touches of which it is known which lines came between.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "cachescape/profile.hpp"

namespace cachescape::analyze {

/// Counts for 1, 2, 4, … 2^max_log2_sets sets.
class KnownSets {
 public:
  KnownSets(unsigned max_log2_sets, unsigned ways)
      : levels_(max_log2_sets + 1),
        ways_(ways),
        hits_(access_kinds * levels_ * ways),
        alone_(access_kinds * (levels_ + 1)) {}

  /// `shared`: for each line that came between, the log2 of the greatest number of sets at which both fall into one.
  void add(AccessKind kind, std::span<const std::uint8_t> shared, std::uint64_t times) {
    const auto k = static_cast<std::size_t>(kind);
    touches_[k] += times;
    std::size_t level = 0;
    for (const std::size_t end = 1 + *std::ranges::max_element(shared); level < std::min(end, levels_); ++level) {
      const auto distance =
          static_cast<std::size_t>(std::ranges::count_if(shared, [level](std::uint8_t s) { return s >= level; }));
      if (distance < ways_) hits_[(k * levels_ + level) * ways_ + distance] += times;
    }
    alone_[k * (levels_ + 1) + level] += times;
  }
  void add_immediate(const KindCounts& touches, std::uint64_t times) {
    for (std::size_t k = 0; k < access_kinds; ++k) {
      touches_[k] += touches[k] * times;
      alone_[k * (levels_ + 1)] += touches[k] * times;
    }
  }

  /// Adds to set counts from this on; those that are no powers of two get only what was immediate. Precondition: the
  /// same ways.
  void add_to(SetProfile& profile, std::uint64_t fewest_sets) const {
    for (std::size_t k = 0; k < access_kinds; ++k) {
      profile.touches[k] += touches_[k];
      for (SetCounts& counts : profile.counts) {
        if (counts.sets < fewest_sets) continue;
        counts.hits[k][0] += alone_[k * (levels_ + 1)];
        const auto level = static_cast<std::size_t>(std::countr_zero(counts.sets));
        if (!std::has_single_bit(counts.sets) || level >= levels_) continue;
        for (std::size_t d = 0; d < ways_; ++d) counts.hits[k][d] += hits_[(k * levels_ + level) * ways_ + d];
        for (std::size_t l = 1; l <= level; ++l) counts.hits[k][0] += alone_[k * (levels_ + 1) + l];
      }
    }
  }

 private:
  std::size_t levels_;
  std::size_t ways_;
  KindCounts touches_{};
  std::vector<std::uint64_t> hits_;   ///< by kind, log2 of sets, distance
  std::vector<std::uint64_t> alone_;  ///< by kind, log2 of sets from which on the distance is 0
};

}  // namespace cachescape::analyze
