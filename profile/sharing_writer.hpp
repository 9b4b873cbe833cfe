// The sharing of a profile as rows.
#pragma once

#include "cachescape/result.hpp"
#include "cachescape/sharing.hpp"
#include "profile/database.hpp"

namespace cachescape::profile {

/// Into empty tables, inside the caller's transaction. Precondition: check_form.
Result<void> write_sharing(const Database& database, const Sharing& sharing);

}  // namespace cachescape::profile
