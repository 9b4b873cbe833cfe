// The sharing of several profiles as one.
#pragma once

#include <cstdint>
#include <span>

#include "cachescape/profile.hpp"
#include "cachescape/result.hpp"
#include "profile/merge.hpp"
#include "profile/places_merge.hpp"

namespace cachescape::profile {

/// Degrees add up: runs use the same caches one after the other, ranks have theirs side by side, none of which serves
/// two of them. An input that has no more threads than a degree has one cache, which loses nothing: its part is what
/// everything's stack says. Where an input has more threads and lacks a degree that another has, refuses. Pairs add up
/// under their new numbers. Of lines, the worst are kept, as many as the input with most of them has: in runs the same
/// address is the same line, in ranks it is not. Threads that were recorded apart leave nothing: who loses a line to
/// whom depends on how they interleave.
/// `numbers` are those of merge_places(); threads have their new numbers already. The inputs must pass check_form. O(n
/// log n).
Result<Sharing> merge_sharing(std::span<const Profile> inputs, MergeKind kind, std::span<const PlaceNumbers> numbers);

}  // namespace cachescape::profile
