#include "observe/collect/small_objects.hpp"

#include <algorithm>

namespace cachescape::collect {

void SmallObjects::clear(std::uint64_t begin, std::uint64_t end) {
  const auto forget = [&](std::uint64_t number, Region& region) {
    const std::uint64_t first = std::max(begin / granule, number * granules);
    const std::uint64_t last = std::min((end - 1) / granule, number * granules + granules - 1);
    for (std::uint64_t at = first; at <= last; ++at) {
      region.object[at % granules] = 0;
      region.bytes[at % granules] = 0;
    }
  };
  if (begin >= end) return;
  const std::uint64_t first = begin / granule / granules;
  const std::uint64_t last = (end - 1) / granule / granules;
  // Whichever is less: the regions of the range, or those that exist.
  if (last - first < regions_.size()) {
    for (std::uint64_t number = first; number <= last; ++number)
      if (Region* const r = region(number * granules); r != nullptr) forget(number, *r);
  } else {
    for (auto& [number, r] : regions_)
      if (number >= first && number <= last) forget(number, *r);
  }
}

}  // namespace cachescape::collect
