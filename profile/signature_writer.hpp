// Memory signatures as rows.
#pragma once

#include <span>

#include "cachescape/profile.hpp"
#include "cachescape/result.hpp"
#include "profile/database.hpp"

namespace cachescape::profile {

/// Into empty tables. Precondition: the signatures pass check_form.
Result<void> write_signatures(const Database& database, std::span<const SignatureProfile> signatures);

}  // namespace cachescape::profile
