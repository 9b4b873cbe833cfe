// The stack-distance cache model: the probability that a touch hits in a set-associative LRU cache, given its stack
// distance alone, if lines fall into sets at random. Brehob and Enbody; PPT-SASMM, equations 5 to 7.
#pragma once

#include <cstdint>

namespace cachescape::model {

/// P(h | D) = sum over a < A of C(D, a) (A/B)^a ((B−A)/B)^(D−a), with D = `distance` other lines, B = `lines` and
/// A = `ways`: the probability that fewer than A of D lines fall into the touched line's set.
///
/// Where A ≥ B the cache is fully associative and the result is 1 for D < B, else 0. B need not be a whole number, so
/// that a share of a cache can be asked about. Falls with D, never falls with B at equal A. Accurate to about 1e-12 for
/// all D below 2^53 by the regularised incomplete beta function, without a sum. Precondition: lines > 0, ways ≥ 1.
double sdcm_hit_probability(std::uint64_t distance, double lines, std::uint64_t ways);

}  // namespace cachescape::model
