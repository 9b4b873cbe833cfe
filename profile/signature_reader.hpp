// Memory signatures from rows.
#pragma once

#include <vector>

#include "cachescape/profile.hpp"
#include "cachescape/result.hpp"
#include "profile/database.hpp"
#include "profile/reader.hpp"

namespace cachescape::profile {

/// All but their counts. Inside a transaction, if a writer may be at work.
Result<std::vector<SignatureHeader>> read_signature_headers(const Database& database);

/// Sites are read where the filter asks for places. The result passes check_form with `places`.
Result<std::vector<SignatureProfile>> read_signatures(const Database& database,
                                                      const std::vector<SignatureHeader>& headers,
                                                      const ReadFilter& filter, const Places& places);

}  // namespace cachescape::profile
