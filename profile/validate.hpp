// Do the numbers of a profile agree with each other?
#pragma once

#include <string>
#include <vector>

#include "cachescape/profile.hpp"

namespace cachescape::profile {

/// Sentences, one per thing that cannot be; none for a profile that an exact analysis can have made. Looks at form
/// first, and no further where that is broken. With sampling only form and what holds in spite of it is looked at.
/// O(size of the profile).
std::vector<std::string> validate(const Profile& profile);

}  // namespace cachescape::profile
