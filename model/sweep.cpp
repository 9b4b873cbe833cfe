#include "model/sweep.hpp"

#include <limits>

#include <fmt/format.h>

#include "model/kind_counts.hpp"
#include "model/level_view.hpp"

namespace cachescape::model {
namespace {

Result<std::size_t> count_points(const SweepAxes& axes) {
  std::size_t points = 1;
  for (const auto& [what, n] :
       {std::pair{"sizes", axes.sizes.size()}, {"ways", axes.ways.size()}, {"lines", axes.lines.size()}}) {
    if (n == 0)
      return failure(ErrorKind::usage, fmt::format("the sweep of {} has no {}; give one at least", axes.name, what));
    if (n > max_sweep_points / points) {
      return failure(ErrorKind::limit,
                     fmt::format("the sweep of {} has more than {} points", axes.name, max_sweep_points), {},
                     "take fewer sizes, ways or lines");
    }
    points *= n;
  }
  return points;
}

void reserve(Sweep& sweep, std::size_t points) {
  sweep.size.reserve(points);
  sweep.sets.reserve(points);
  sweep.ways.reserve(points);
  sweep.line.reserve(points);
  sweep.misses.reserve(points);
  sweep.ratio.reserve(points);
  sweep.method.reserve(points);
}

/// 0 where the numbers make no cache.
std::uint64_t sets_of(Bytes size, std::uint64_t ways, LineSize line) {
  const std::uint64_t bytes = line.bytes().value;
  if (size.value == 0 || size.value % bytes != 0) return 0;
  const std::uint64_t lines = size.value / bytes;
  if (ways == fully_associative) return 1;
  return lines % ways == 0 ? lines / ways : 0;
}

}  // namespace

std::vector<Bytes> doubling_sizes(Bytes first, Bytes last) {
  std::vector<Bytes> sizes;
  if (first.value == 0) return sizes;
  for (std::uint64_t size = first.value; size <= last.value; size *= 2) {
    sizes.emplace_back(size);
    if (size > std::numeric_limits<std::uint64_t>::max() / 2) break;
  }
  return sizes;
}

std::vector<Bytes> stepped_sizes(Bytes first, Bytes last, Bytes step) {
  std::vector<Bytes> sizes;
  if (step.value == 0 || first > last) return sizes;
  const std::uint64_t steps = (last.value - first.value) / step.value;
  for (std::uint64_t i = 0; i <= steps && sizes.size() <= max_sweep_points; ++i)
    sizes.emplace_back(first.value + i * step.value);
  return sizes;
}

Result<Sweep> sweep(const Streams& streams, const SweepAxes& axes) {
  CACHESCAPE_TRY(const std::size_t points, count_points(axes));
  Sweep result;
  result.name = axes.name;
  result.sampled = streams.sampling().method != Sampling::Method::none;
  reserve(result, points);
  for (const LineSize line : axes.lines) {
    CACHESCAPE_TRY(
        const LevelView view,
        LevelView::of(streams,
                      {.cores = axes.cores, .shared_by = axes.shared_by, .line = line, .lines_of_others = axes.lines},
                      axes.name));
    const std::uint64_t touches = sum(view.touches());
    const double per_touch = touches == 0 ? 0 : 1 / static_cast<double>(touches);
    result.streams_known = result.streams_known && view.approximation().empty();
    for (const std::uint64_t ways : axes.ways) {
      for (const Bytes size : axes.sizes) {
        const std::uint64_t sets = sets_of(size, ways, line);
        if (sets == 0) {
          ++result.left_out;
          continue;
        }
        const std::uint64_t real_ways = ways == fully_associative ? size.value / line.bytes().value : ways;
        const StreamModel::Estimate estimate = view.misses(sets, real_ways);
        const std::uint64_t misses = sum(estimate.misses);
        result.size.push_back(size.value);
        result.sets.push_back(sets);
        result.ways.push_back(ways);
        result.line.push_back(line);
        result.misses.push_back(misses);
        result.ratio.push_back(static_cast<double>(misses) * per_touch);
        result.method.push_back(estimate.method);
      }
    }
  }
  return result;
}

Result<Sweep> sweep(const Profile& profile, const SweepAxes& axes) {
  std::vector<Need> needs;
  for (const LineSize line : axes.lines) needs.push_back({Scope::Kind::everything, line});
  return sweep(Streams(profile, needs), axes);
}

}  // namespace cachescape::model
