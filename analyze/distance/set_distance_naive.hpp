// The naive twin of SetDistances: one list per set of its most recent lines, searched from the front. Slow,
// obvious, exact.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <list>
#include <map>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cachescape/quantity.hpp"

namespace cachescape::analyze {

/// Any set counts ≥ 1. Per touch and set count: time O(ways).
class NaiveSetDistances {
 public:
  NaiveSetDistances(std::vector<std::uint64_t> set_counts, unsigned ways)
      : ways_(ways), set_counts_(std::move(set_counts)), caches_(set_counts_.size()) {}

  void process(std::span<const Line> lines, std::span<const std::uint16_t> groups = {},
               std::span<const std::uint32_t> weights = {}) {
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const std::uint16_t group = groups.empty() ? std::uint16_t{0} : groups[i];
      const std::uint64_t weight = weights.empty() ? 1 : weights[i];
      for (std::size_t c = 0; c < caches_.size(); ++c) {
        std::list<std::uint64_t>& set = caches_[c].sets[lines[i].value % set_counts_[c]];
        const auto found = std::find(set.begin(), set.end(), lines[i].value);
        const bool beyond = found == set.end();
        const auto distance = beyond ? ways_ : static_cast<std::uint64_t>(std::distance(set.begin(), found));
        if (!beyond) set.erase(found);
        set.push_front(lines[i].value);
        if (set.size() > ways_) set.pop_back();
        std::vector<std::uint64_t>& counts = caches_[c].counts[group];
        counts.resize(ways_ + 1);
        counts[distance] += weight;
      }
    }
  }

  /// As SetDistances::histogram; a group without touches has zeros.
  std::vector<std::uint64_t> histogram(std::uint64_t sets, std::uint16_t group = 0) const {
    for (std::size_t c = 0; c < caches_.size(); ++c) {
      if (set_counts_[c] != sets) continue;
      const auto counts = caches_[c].counts.find(group);
      return counts == caches_[c].counts.end() ? std::vector<std::uint64_t>(ways_ + 1) : counts->second;
    }
    return {};
  }

 private:
  struct Cache {
    std::unordered_map<std::uint64_t, std::list<std::uint64_t>> sets;
    std::map<std::uint16_t, std::vector<std::uint64_t>> counts;
  };

  unsigned ways_;
  std::vector<std::uint64_t> set_counts_;
  std::vector<Cache> caches_;
};

}  // namespace cachescape::analyze
