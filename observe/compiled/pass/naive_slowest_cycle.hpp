// The slowest cycle by looking at every cycle: what the fast one is compared with.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "observe/compiled/pass/slowest_cycle.hpp"

namespace cachescape::pass {

/// The largest mean over all cycles that pass no carrier twice. Exponential.
class NaiveSlowestCycle {
 public:
  NaiveSlowestCycle(std::size_t carriers, const std::vector<CarriedPath>& paths) : paths_(paths), on_way_(carriers) {
    for (std::size_t start = 0; start < carriers; ++start) walk(start, start, {0, 0});
  }

  LoadRate rate() const { return largest_; }

 private:
  void walk(std::size_t start, std::size_t at, LoadRate so_far) {
    for (const CarriedPath& path : paths_) {
      if (path.from != at || path.to < start) continue;
      const LoadRate longer{so_far.loads + path.loads, so_far.iterations + 1};
      if (path.to == start) {
        largest_ = std::max(largest_, longer);
      } else if (!on_way_[path.to]) {
        on_way_[path.to] = true;
        walk(start, path.to, longer);
        on_way_[path.to] = false;
      }
    }
  }

  const std::vector<CarriedPath>& paths_;
  std::vector<bool> on_way_;
  LoadRate largest_;
};

}  // namespace cachescape::pass
