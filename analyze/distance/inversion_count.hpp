// Stack distances of a whole stream at once, by sorting.
//
// With p(i) the index of the previous touch of touch i's line, D(i) = i - p(i) - 1 - #{j < i : p(j) > p(i)}: of the
// touches in between, those that repeat a line of that interval do not count. The last term counts inversions, which a
// merge sort yields. O(n log n), offline; shares nothing with the online engine. (Bennett and Kruskal, "LRU stack
// processing", 1975, use the same identity.)
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analyze/distance/stack_distances.hpp"
#include "cachescape/quantity.hpp"

namespace cachescape::analyze {

namespace inversion {

struct Reuse {
  std::size_t at;        ///< index of the touch
  std::size_t previous;  ///< index of the previous touch of its line
};

/// Sorts `reuses` by descending `previous` and adds to greater[at], for each reuse, how many reuses that stood
/// before it have a greater `previous`.
inline void sort_and_count(std::span<Reuse> reuses, std::span<Reuse> scratch, std::span<std::size_t> greater) {
  if (reuses.size() < 2) return;
  const std::size_t half = reuses.size() / 2;
  sort_and_count(reuses.first(half), scratch.first(half), greater);
  sort_and_count(reuses.subspan(half), scratch.subspan(half), greater);
  std::size_t left = 0;
  std::size_t right = half;
  for (Reuse& merged : scratch) {
    if (right == reuses.size() || (left < half && reuses[left].previous > reuses[right].previous)) {
      merged = reuses[left++];
    } else {
      greater[reuses[right].at] += left;
      merged = reuses[right++];
    }
  }
  std::copy(scratch.begin(), scratch.end(), reuses.begin());
}

}  // namespace inversion

/// The distance of each touch of the stream, cold_distance for first touches.
inline std::vector<std::uint32_t> distances_by_inversions(std::span<const Line> lines) {
  std::unordered_map<std::uint64_t, std::size_t> last;
  std::vector<inversion::Reuse> reuses;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto [entry, is_new] = last.try_emplace(lines[i].value, i);
    if (!is_new) reuses.push_back({i, std::exchange(entry->second, i)});
  }
  std::vector<std::uint32_t> distances(lines.size(), cold_distance);
  std::vector<inversion::Reuse> sorted = reuses;
  std::vector<inversion::Reuse> scratch(reuses.size());
  std::vector<std::size_t> greater(lines.size(), 0);
  inversion::sort_and_count(sorted, scratch, greater);
  for (const inversion::Reuse& r : reuses)
    distances[r.at] = static_cast<std::uint32_t>(r.at - r.previous - 1 - greater[r.at]);
  return distances;
}

}  // namespace cachescape::analyze
