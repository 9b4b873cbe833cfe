// The stack-distance cache model over a whole histogram.
#pragma once

#include <array>
#include <cstdint>

#include "model/miss_curve.hpp"

namespace cachescape::model {

/// The counted touches (before scaling) that hit, by kind: the sum over all D of count(D) × P(h | D), with B = `lines`
/// and A = `ways` (sdcm.hpp).
///
/// P is evaluated where it bends and interpolated linearly in between; it differs from the sum over every bin by less
/// than 1e-5 of the touches. O(log bins) for fully associative caches, else some hundred evaluations, whatever the
/// number of bins.
std::array<double, access_kinds> sdcm_hits(const MissCurve& curve, double lines, std::uint64_t ways);

}  // namespace cachescape::model
