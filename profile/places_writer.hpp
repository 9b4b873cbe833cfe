// The places of a profile as rows.
#pragma once

#include "cachescape/places.hpp"
#include "cachescape/result.hpp"
#include "profile/database.hpp"

namespace cachescape::profile {

/// Into empty tables, inside the caller's transaction. Precondition: check_form(places).
Result<void> write_places(const Database& database, const Places& places);

}  // namespace cachescape::profile
