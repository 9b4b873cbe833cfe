// All of a profile's sharing but its histograms, with what is needed to check them.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "cachescape/result.hpp"
#include "profile/database.hpp"
#include "profile/reader.hpp"
#include "profile/sharing_rows.hpp"

namespace cachescape::profile {

/// What the rows of one degree must come to.
struct SharingSums {
  std::array<std::uint64_t, sharing_events> events{};
  std::vector<std::uint64_t> set_touches;  ///< by number of sets
};

/// Inside a transaction, if a writer may be at work. Fills `headers`.
Result<std::vector<SharingSums>> read_sharing_outline(const Database& database, std::vector<SharingHeader>& headers);

}  // namespace cachescape::profile
