#include "model/sdcm_hits.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "model/sdcm.hpp"

namespace cachescape::model {
namespace {

using Hits = std::array<double, access_kinds>;

/// Below this, and above its complement, a probability is taken for 0 and 1.
constexpr double negligible = 1e-9;
/// How far from a straight line a segment's middle may lie.
constexpr double straight = 1e-6;
/// A segment across which P falls more than this is never taken for straight: its middle may be an inflection.
constexpr double steep = 0.05;
/// Segments of so few bins are added up bin by bin.
constexpr std::size_t few_bins = 6;

class Sum {
 public:
  Sum(const MissCurve& curve, double lines, std::uint64_t ways) : curve_(curve), lines_(lines), ways_(ways) {}

  Hits hits() {
    const std::size_t bins = curve_.distances().size();
    const std::size_t certain = first_where([](double p) { return p < 1 - negligible; }, 0, bins);
    const std::size_t hopeless = first_where([](double p) { return p < negligible; }, certain, bins);
    add(0, certain, 1, 0);
    if (certain < hopeless) segment(certain, probability(certain), hopeless - 1, probability(hopeless - 1));
    if (certain < hopeless) add(hopeless - 1, hopeless, probability(hopeless - 1), 0);
    return hits_;
  }

 private:
  double probability(std::size_t i) const { return sdcm_hit_probability(curve_.distances()[i], lines_, ways_); }
  double distance(std::size_t i) const { return static_cast<double>(curve_.distances()[i]); }

  /// P falls along the bins, so that whatever holds for small P holds from some bin on.
  template <class Holds>
  std::size_t first_where(Holds holds, std::size_t from, std::size_t to) const {
    while (from < to) {
      const std::size_t middle = from + (to - from) / 2;
      if (holds(probability(middle))) {
        to = middle;
      } else {
        from = middle + 1;
      }
    }
    return from;
  }

  /// Adds bins [from, to) with probability at_from + slope × (D − D of from).
  void add(std::size_t from, std::size_t to, double at_from, double slope) {
    if (from == to) return;
    const double base = distance(from);
    for (std::size_t k = 0; k < access_kinds; ++k) {
      const auto kind = static_cast<AccessKind>(k);
      const auto count = static_cast<double>(curve_.counted_below(kind, to) - curve_.counted_below(kind, from));
      if (count == 0) continue;
      hits_[k] += count * at_from;
      if (slope == 0) continue;
      const double moment = curve_.distance_sum_below(kind, to) - curve_.distance_sum_below(kind, from);
      hits_[k] += slope * (moment - count * base);
    }
  }

  void straight_segment(std::size_t from, double p_from, std::size_t to, double p_to) {
    add(from, to, p_from, (p_to - p_from) / (distance(to) - distance(from)));
  }

  /// Adds bins [from, to), whose P runs from p_from to p_to at bin `to`.
  void segment(std::size_t from, double p_from, std::size_t to, double p_to) {
    if (to - from <= few_bins) {
      for (std::size_t i = from; i < to; ++i) add(i, i + 1, i == from ? p_from : probability(i), 0);
      return;
    }
    const std::size_t middle = from + (to - from) / 2;
    const double p_middle = probability(middle);
    const double share = (distance(middle) - distance(from)) / (distance(to) - distance(from));
    if (p_from - p_to < steep && std::abs(p_middle - (p_from + share * (p_to - p_from))) < straight) {
      straight_segment(from, p_from, middle, p_middle);
      straight_segment(middle, p_middle, to, p_to);
      return;
    }
    segment(from, p_from, middle, p_middle);
    segment(middle, p_middle, to, p_to);
  }

  const MissCurve& curve_;
  double lines_;
  std::uint64_t ways_;
  Hits hits_{};
};

}  // namespace

Hits sdcm_hits(const MissCurve& curve, double lines, std::uint64_t ways) { return Sum(curve, lines, ways).hits(); }

}  // namespace cachescape::model
