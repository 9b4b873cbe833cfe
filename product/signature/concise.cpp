#include "product/signature/concise.hpp"

#include <algorithm>
#include <cmath>

namespace cachescape::signature {
namespace {

/// The farthest point from `from` that leaves no point in between farther than `max_error` from the line between.
std::size_t reach(const HitRates& rates, std::size_t from, double max_error) {
  std::size_t best = from + 1;
  for (std::size_t to = from + 2; to < signature_depths; ++to) {
    const double step = (rates[to] - rates[from]) / static_cast<double>(to - from);
    double worst = 0;
    for (std::size_t b = from + 1; b < to; ++b) {
      worst = std::max(worst, std::abs(rates[from] + step * static_cast<double>(b - from) - rates[b]));
    }
    if (worst <= max_error) best = to;
  }
  return best;
}

/// Keeps the first bin and every one at which the references that would be misjudged become too many.
std::array<bool, signature_depths> halves_kept(const std::array<HalfShare, signature_depths>& halves,
                                               const HitRates& rates, double max_error) {
  std::array<bool, signature_depths> kept{};
  kept[0] = true;
  double allowed = max_error;
  std::optional<double> stands = halves[0].share;
  for (std::size_t b = 1; b < signature_depths; ++b) {
    const double references = std::max(0.0, rates[b] - rates[b - 1]);
    const std::optional<double> share = halves[b].share;
    if (!share) continue;
    const double error = stands ? references * std::abs(*share - *stands) : 1;
    // Never all of what is left for one bin: others follow.
    if (error > allowed / 2) {
      kept[b] = true;
      stands = share;
    } else {
      allowed -= error;
    }
  }
  return kept;
}

}  // namespace

Points concise(const Signature& signature, double max_error) {
  Points points;
  std::size_t at = 0;
  points.hit_rates[at] = true;
  while (at + 1 < signature_depths) points.hit_rates[at = reach(signature.hit_rates, at, max_error)] = true;
  for (std::size_t h = 0; h < signature_halves; ++h) {
    points.halves[h] = halves_kept(signature.halves[h], signature.hit_rates, max_error);
  }
  return points;
}

}  // namespace cachescape::signature
