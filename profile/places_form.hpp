// The rules that make Places of a profile ones: indices that lead somewhere, order, ranges.
#pragma once

#include "cachescape/places.hpp"
#include "cachescape/result.hpp"

namespace cachescape::profile {

/// As check_form(profile), of which it is a part: every index is nowhere or in range, no chain of inlined_at leads back
/// to itself, callers of contexts come before them, places ascend, and distances are those that place_distance() gives.
/// O(size of the places).
Result<void> check_form(const Places& places);

}  // namespace cachescape::profile
