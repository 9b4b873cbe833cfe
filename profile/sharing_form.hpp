// The rules that make Sharing of a profile one: order, ranges, and indices that lead somewhere.
#pragma once

#include "cachescape/places.hpp"
#include "cachescape/result.hpp"
#include "cachescape/sharing.hpp"

namespace cachescape::profile {

/// As check_form(profile), of which it is a part: degrees ascend, histograms and counts can be kept, pairs ascend, and
/// every site and object is nowhere or one of `places`. O(size of the sharing).
Result<void> check_form(const Sharing& sharing, const Places& places);

}  // namespace cachescape::profile
