// Whose line an allocation is.
#pragma once

#include <vector>

#include "cachescape/places.hpp"

namespace cachescape::collect {

/// Out of the system's headers, to the line that used them.
inline std::uint32_t callers_location(std::uint32_t location, const std::vector<Location>& locations) {
  for (std::uint32_t at = location; at != nowhere; at = locations[at].inlined_at)
    if (!locations[at].file.starts_with("/usr/")) return at;
  return location;
}

}  // namespace cachescape::collect
