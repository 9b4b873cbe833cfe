// The signatures of several profiles as one.
#pragma once

#include <span>
#include <vector>

#include "cachescape/profile.hpp"
#include "cachescape/result.hpp"
#include "profile/places_merge.hpp"

namespace cachescape::profile {

/// Counts add up, as those of executions that touch different memory, and so do steps, as those of executions that each
/// begin for themselves; sites under their new numbers. Refuses inputs of which only some know a signature of
/// everything or of threads, by a rule. `numbers` are those of merge_places(); threads have their new numbers already.
/// The inputs must pass check_form.
Result<std::vector<SignatureProfile>> merge_signatures(std::span<const Profile> inputs,
                                                       std::span<const PlaceNumbers> numbers);

}  // namespace cachescape::profile
