// The places of several profiles as one.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cachescape/profile.hpp"
#include "cachescape/result.hpp"
#include "profile/merge.hpp"

namespace cachescape::profile {

/// From an input's indices to those of the merged places.
struct PlaceNumbers {
  std::vector<std::uint32_t> sites;
  std::vector<std::uint32_t> objects;
};

/// What is nowhere stays so.
inline std::uint32_t mapped(const std::vector<std::uint32_t>& map, std::uint32_t index) {
  return index == nowhere ? nowhere : map[index];
}

struct MergedPlaces {
  Places places;
  std::vector<PlaceNumbers> numbers;  ///< by input
};

/// What has equal values is one thing, and its counts add up: locations, blocks (whatever their executions), sites,
/// objects (whatever their sizes), counters of the same block, contexts with their counters. Where an input has several
/// that are alike, the first is taken for the first of the others, the second for the second and so on, so that merging
/// never mixes what one input keeps apart. The most bytes of an object at one time are the greatest of runs, and the
/// sum of what ran side by side. Refuses inputs of which only some know places, and place distances of different line
/// sizes. The inputs must pass check_form. O(n log n).
Result<MergedPlaces> merge_places(std::span<const Profile> inputs, MergeKind kind);

}  // namespace cachescape::profile
