#include "analyze/distance/set_distance.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

namespace cachescape::analyze {

SetDistances::SetDistances(const SetGrid& grid, std::size_t groups, InstructionSet path)
    : front_({.sets = true, .first_level = grid.min_log2_sets, .max_level = grid.max_log2_sets, .path = path}),
      far_(grid, groups, path),
      others_(grid.other_set_counts, grid.ways, groups, path) {}

void SetDistances::process(std::span<const Line> lines, std::span<const std::uint16_t> groups,
                           std::span<const std::uint32_t> weights) {
  const std::vector<std::uint16_t> no_groups(groups.empty() ? lines.size() : 0, 0);
  const std::vector<std::uint32_t> all_once(weights.empty() ? lines.size() : 0, 1);
  const std::vector<std::uint32_t> nowhere(lines.size(), 0);
  if (groups.empty()) groups = no_groups;
  if (weights.empty()) weights = all_once;
  others_.process(lines, groups, weights);
  for (std::size_t taken = 0; taken < lines.size();) {
    const TouchColumns rest{lines.data() + taken, groups.data() + taken, weights.data() + taken,
                            nowhere.data() + taken};
    taken += front_.take(rest, lines.size() - taken);
    far_.enter(entering_lines(front_.far()));
    front_.clear_far();
  }
}

std::vector<std::uint64_t> SetDistances::histogram(std::uint64_t sets, std::uint16_t group) {
  const SetGrid& grid = far_.grid();
  std::vector<std::uint64_t> counts;
  front_.settle();
  const auto level = static_cast<unsigned>(std::countr_zero(sets));
  if (std::has_single_bit(sets) && level >= grid.min_log2_sets && level <= grid.max_log2_sets) {
    counts = far_.hits(level, group);
    front_.add_set_distances(level, group, counts);
  } else {
    counts = others_.hits(sets, group);
  }
  if (counts.empty()) return counts;
  counts.resize(grid.ways);
  counts.push_back(touches(group) - std::reduce(counts.begin(), counts.end()));
  return counts;
}

std::uint64_t SetDistances::touches(std::uint16_t group) {
  front_.settle();
  return front_.near_touches(group) + far_.touches(group);
}

std::uint64_t SetDistances::memory_bytes() const {
  return front_.memory_bytes() + far_.memory_bytes() + others_.memory_bytes();
}

}  // namespace cachescape::analyze
