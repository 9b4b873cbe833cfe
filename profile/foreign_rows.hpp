// Touches of lines that another thread touched last, as rows: StackProfile::foreign and SetCounts::foreign.
#pragma once

#include <cstdint>

#include "cachescape/profile.hpp"
#include "cachescape/result.hpp"
#include "profile/database.hpp"

namespace cachescape::profile {

/// Into empty tables, inside the caller's transaction. Precondition: check_form.
Result<void> write_foreign(const Database& database, const Profile& profile);

/// Of stack `id` and set profile `id`, whose other histograms have been read: these are parts of them.
Result<void> read_foreign(const Database& database, std::int64_t version, std::uint64_t id, StackProfile& stack);
Result<void> read_foreign(const Database& database, std::uint64_t id, SetProfile& sets);

/// Whether these are parts of the histograms that they are said to be parts of.
Result<void> check_foreign(const StackProfile& stack);
Result<void> check_foreign(const SetProfile& sets);

}  // namespace cachescape::profile
