// The rules that make a Profile one: order, uniqueness, lengths, ranges. Whether its numbers agree with each other is
// validate.hpp's question.
#pragma once

#include "cachescape/profile.hpp"
#include "cachescape/result.hpp"

namespace cachescape::profile {

/// The first broken rule as an ErrorKind::usage (ErrorKind::limit where a number is merely too large to be kept).
/// Everything that passes can be written, and everything that is read passes. O(size of the profile).
Result<void> check_form(const Profile& profile);

}  // namespace cachescape::profile
