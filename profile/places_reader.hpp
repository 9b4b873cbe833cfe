// The places of a profile from rows that nobody vouches for.
#pragma once

#include <cstdint>

#include "cachescape/places.hpp"
#include "cachescape/result.hpp"
#include "profile/database.hpp"

namespace cachescape::profile {

/// Inside a transaction, if a writer may be at work. `version` is that of the schema. What is read passes check_form.
Result<Places> read_places(const Database& database, std::int64_t version);

}  // namespace cachescape::profile
