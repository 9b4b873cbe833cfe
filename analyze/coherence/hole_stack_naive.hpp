// The stack of a cache from which others may take lines, by the book: a list, top first, in which places may be empty.
// O(depth) per touch: the truth that HoleStack is tested against. Single-threaded.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "analyze/distance/stack_distances.hpp"
#include "cachescape/quantity.hpp"

namespace cachescape::analyze {

class NaiveHoleStack {
 public:
  std::uint32_t depth(Line line) const {
    const auto at = std::ranges::find(places_, std::optional(line));
    return at == places_.end() ? cold_distance : static_cast<std::uint32_t>(at - places_.begin());
  }
  std::uint32_t touch(Line line) {
    const std::uint32_t depth = this->depth(line);
    const auto hole = std::ranges::find(places_, std::optional<Line>());
    const bool above = hole != places_.end() && (depth == cold_distance || hole - places_.begin() < depth);
    if (above) {
      if (depth != cold_distance) places_[depth] = std::nullopt;
      places_.erase(hole);
    } else if (depth != cold_distance) {
      places_.erase(places_.begin() + depth);
    }
    places_.insert(places_.begin(), line);
    return depth;
  }
  void take(Line line) { *std::ranges::find(places_, std::optional(line)) = std::nullopt; }

 private:
  std::vector<std::optional<Line>> places_;
};

}  // namespace cachescape::analyze
