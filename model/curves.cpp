#include "model/curves.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "model/kind_counts.hpp"

namespace cachescape::model {
namespace {

CurvePoint point(const MissCurve& curve, std::uint64_t lines, Kinds kinds) {
  const std::uint64_t misses = sum(curve.misses(lines), kinds);
  const std::uint64_t touches = sum(curve.touches(), kinds);
  return {lines, misses, touches == 0 ? 0 : static_cast<double>(misses) / static_cast<double>(touches)};
}

struct Weighted {
  double value = 0;
  std::uint64_t count = 0;
};

/// Precondition: ascending values, a count of 1 at least.
double median(std::span<const Weighted> values) {
  std::uint64_t total = 0;
  for (const Weighted& v : values) total += v.count;
  const auto at = [&](std::uint64_t rank) {
    std::uint64_t seen = 0;
    for (const Weighted& v : values) {
      seen += v.count;
      if (seen > rank) return v.value;
    }
    return values.back().value;
  };
  return (at((total - 1) / 2) + at(total / 2)) / 2;
}

}  // namespace

std::vector<CurvePoint> curve_at_changes(const MissCurve& curve, Kinds kinds) {
  std::vector<CurvePoint> points{point(curve, 0, kinds)};
  points.reserve(curve.distances().size() + 1);
  for (const std::uint64_t d : curve.distances()) {
    // A touch at distance d hits from d + 1 lines on.
    const CurvePoint next = point(curve, d + 1, kinds);
    if (next.misses != points.back().misses) points.push_back(next);
  }
  return points;
}

std::vector<CurvePoint> curve_at(const MissCurve& curve, std::span<const std::uint64_t> lines, Kinds kinds) {
  std::vector<CurvePoint> points;
  points.reserve(lines.size());
  for (const std::uint64_t n : lines) points.push_back(point(curve, n, kinds));
  return points;
}

std::vector<Knee> knees(std::span<const CurvePoint> points) {
  constexpr double least_share = 0.05;
  constexpr double near_enough = 0.95;
  if (points.size() < 2) return {};
  const auto ratio_at = [&](std::uint64_t lines) {
    return std::prev(std::ranges::upper_bound(points, lines, {}, &CurvePoint::lines))->ratio;
  };
  std::vector<Knee> candidates;
  candidates.reserve(points.size() - 1);
  for (const CurvePoint& p : points.subspan(1)) candidates.push_back({p, ratio_at(p.lines / 2) - p.ratio});

  const double least = least_share * (points.front().ratio - points.back().ratio);
  std::vector<Knee> found;
  while (!candidates.empty()) {
    const Knee best = *std::ranges::max_element(candidates, {}, &Knee::saved);
    if (best.saved < least) break;
    // A little more is saved a little further on: the working set fits where most of it is.
    const auto first = std::ranges::find_if(candidates, [&](const Knee& k) {
      return k.at.lines > best.at.lines / 2 && k.saved >= near_enough * best.saved;
    });
    const Knee knee = *first;
    found.push_back(knee);
    std::erase_if(candidates,
                  [&](const Knee& k) { return k.at.lines > knee.at.lines / 2 && k.at.lines / 2 < knee.at.lines; });
  }
  std::ranges::sort(found, {}, [](const Knee& k) { return k.at.lines; });
  return found;
}

std::vector<std::uint64_t> spaced_sizes(std::uint64_t first, std::uint64_t last, unsigned per_doubling) {
  std::vector<std::uint64_t> sizes{first};
  for (unsigned step = 1; sizes.back() < last; ++step) {
    const double size = std::round(static_cast<double>(first) * std::exp2(static_cast<double>(step) / per_doubling));
    if (size >= static_cast<double>(last)) {
      sizes.push_back(last);
    } else if (const auto whole = static_cast<std::uint64_t>(size); whole > sizes.back()) {
      sizes.push_back(whole);
    }
  }
  return sizes;
}

std::vector<SpatialUse> spatial_use(const Streams& streams, Bytes size, Kinds kinds) {
  std::vector<SpatialUse> uses;
  for (const LineSize line : streams.line_sizes()) {
    const StreamModel& stream = *streams.find({}, line);
    SpatialUse use{line, sum(stream.curve().misses(size.value / line.bytes().value), kinds), std::nullopt};
    if (!uses.empty() && uses.front().misses > 0) {
      // The accesses are the same at every line size, so that the ratio of misses is that of the miss ratios.
      const double ratio = static_cast<double>(use.misses) / static_cast<double>(uses.front().misses);
      const double shrinkage =
          static_cast<double>(uses.front().line.bytes().value) / static_cast<double>(line.bytes().value);
      use.use = (1 - ratio) / (1 - shrinkage);
    }
    uses.push_back(use);
  }
  return uses;
}

std::vector<MemoryUse> memory_usage(std::span<const Bin> popularity, double line_rate) {
  std::vector<Bin> hottest(popularity.begin(), popularity.end());
  std::ranges::sort(hottest, std::greater{}, &Bin::value);
  unsigned __int128 total = 0;
  for (const Bin& b : hottest) total += static_cast<unsigned __int128>(b.value) * b.count;
  if (total == 0) return {};

  std::vector<MemoryUse> result;
  auto bin = hottest.begin();
  std::uint64_t lines_before = 0;
  unsigned __int128 touches_before = 0;
  for (unsigned per_cent = 5; per_cent <= 100; per_cent += 5) {
    const unsigned __int128 target = (total * per_cent + 99) / 100;
    while (touches_before + static_cast<unsigned __int128>(bin->value) * bin->count < target) {
      touches_before += static_cast<unsigned __int128>(bin->value) * bin->count;
      lines_before += bin->count;
      ++bin;
    }
    const auto more = static_cast<std::uint64_t>((target - touches_before + bin->value - 1) / bin->value);
    const auto lines = static_cast<double>(lines_before + more) / line_rate;
    result.push_back({per_cent, static_cast<std::uint64_t>(std::llround(lines))});
  }
  return result;
}

std::optional<TypicalDistance> typical_distance(const StackProfile& stack, Kinds kinds) {
  std::vector<Weighted> distances;
  for (std::size_t k = 0; k < access_kinds; ++k) {
    if (!includes(kinds, static_cast<AccessKind>(k))) continue;
    for (const Bin& b : stack.kinds[k].bins) distances.push_back({static_cast<double>(b.value), b.count});
  }
  if (distances.empty()) return std::nullopt;
  std::ranges::sort(distances, {}, &Weighted::value);
  TypicalDistance typical;
  typical.median = median(distances);
  for (Weighted& d : distances) d.value = std::abs(d.value - typical.median);
  std::ranges::sort(distances, {}, &Weighted::value);
  typical.deviation = median(distances);
  return typical;
}

}  // namespace cachescape::model
