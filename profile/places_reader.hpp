// The places of a profile from rows that nobody vouches for.
#pragma once

#include "cachescape/places.hpp"
#include "cachescape/result.hpp"
#include "profile/database.hpp"

namespace cachescape::profile {

/// Inside a transaction, if a writer may be at work. What is read passes check_form.
Result<Places> read_places(const Database& database);

}  // namespace cachescape::profile
