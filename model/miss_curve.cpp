#include "model/miss_curve.hpp"

#include <algorithm>
#include <cmath>

namespace cachescape::model {

MissCurve::MissCurve(const StackProfile& stack, const Scaling& scaling) : scaling_(scaling) {
  std::size_t bins = 0;
  for (const Histogram& h : stack.kinds) bins += h.bins.size();
  distances_.reserve(bins);
  for (const Histogram& h : stack.kinds) {
    for (const Bin& b : h.bins) distances_.push_back(b.value);
  }
  std::ranges::sort(distances_);
  distances_.erase(std::ranges::unique(distances_).begin(), distances_.end());
  distances_.shrink_to_fit();

  for (std::size_t k = 0; k < access_kinds; ++k) {
    const Histogram& h = stack.kinds[k];
    below_[k].reserve(distances_.size() + 1);
    moment_below_[k].reserve(distances_.size() + 1);
    std::uint64_t count = 0;
    double moment = 0;
    auto bin = h.bins.begin();
    for (const std::uint64_t d : distances_) {
      below_[k].push_back(count);
      moment_below_[k].push_back(moment);
      if (bin != h.bins.end() && bin->value == d) {
        count += bin->count;
        moment += static_cast<double>(bin->count) * static_cast<double>(d);
        ++bin;
      }
    }
    below_[k].push_back(count);
    moment_below_[k].push_back(moment);

    counted_cold_[k] = h.cold;
    cold_[k] = scaling_.scaled(h.cold);
    touches_[k] = scaling_.scaled(count + h.cold);
    if (scaling.totals[k] > 0) {
      const std::uint64_t near = distances_.empty() || distances_.front() > 0 ? 0 : below_[k][1];
      touches_[k] = std::max(scaling.totals[k], scaling_.scaled(count + h.cold - near));
    }
  }
}

std::size_t MissCurve::index_of(std::uint64_t distance) const {
  return static_cast<std::size_t>(std::ranges::lower_bound(distances_, distance) - distances_.begin());
}

KindCounts MissCurve::scaled_misses(std::size_t index) const {
  // What the correction adds or takes at distance 0 concerns hits only, so that misses need the weight alone.
  KindCounts misses{};
  for (std::size_t k = 0; k < access_kinds; ++k) {
    const std::uint64_t far = below_[k].back() - below_[k][index];
    misses[k] = std::min(touches_[k], scaling_.scaled(counted_cold_[k] + far));
  }
  return misses;
}

KindCounts MissCurve::scaled_misses(const std::array<double, access_kinds>& hits) const {
  KindCounts misses{};
  for (std::size_t k = 0; k < access_kinds; ++k) {
    const double finite = static_cast<double>(below_[k].back());
    const double missed = static_cast<double>(counted_cold_[k]) + std::max(0.0, finite - hits[k]);
    misses[k] = std::min(touches_[k], static_cast<std::uint64_t>(std::llround(scaling_.weight * missed)));
  }
  return misses;
}

}  // namespace cachescape::model
