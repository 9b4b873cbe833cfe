// From the blocks that were sampled to all their executions (Chameleon's basic-block sampling).
#pragma once

#include <span>
#include <vector>

#include "cachescape/profile.hpp"

namespace cachescape::analyze {

/// Multiplies what each place did by its weight; places beyond `weights` have weight 1.
void weigh(std::vector<PlaceDistances>& places, std::span<const double> weights);

/// Multiplies accesses and bytes, not distances.
void weigh_totals(PlaceDistances& place, double weight);

/// Multiplies what each place of a signature did, likewise, and makes the totals their sums. Steps stay as they are:
/// what is touched for the first time is so once.
void weigh(SignatureProfile& signature, std::span<const double> weights);

/// The sum of all places.
StackProfile sum_of_places(const std::vector<PlaceDistances>& places);

}  // namespace cachescape::analyze
