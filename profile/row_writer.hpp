// A profile as rows.
#pragma once

#include "cachescape/profile.hpp"
#include "cachescape/result.hpp"
#include "profile/database.hpp"

namespace cachescape::profile {

/// Replaces all rows but those of table recording, inside the caller's transaction. Precondition: check_form(profile).
Result<void> write_rows(const Database& database, const Profile& profile);

}  // namespace cachescape::profile
