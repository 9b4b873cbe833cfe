// The sharing of a profile from rows that nobody vouches for.
#pragma once

#include "cachescape/places.hpp"
#include "cachescape/result.hpp"
#include "cachescape/sharing.hpp"
#include "profile/database.hpp"
#include "profile/outline.hpp"
#include "profile/reader.hpp"

namespace cachescape::profile {

/// The degrees with lines that the filter wants, and with places also who takes lines from whom. Inside a transaction,
/// if a writer may be at work. What is read passes check_form.
Result<Sharing> read_sharing(const Database& database, const Outline& outline, const ReadFilter& filter,
                             const Places& places);

}  // namespace cachescape::profile
