// All of a profile but its histograms, with what is needed to check them.
#pragma once

#include <cstdint>
#include <vector>

#include "cachescape/result.hpp"
#include "profile/database.hpp"
#include "profile/reader.hpp"
#include "profile/sharing_outline.hpp"

namespace cachescape::profile {

struct Outline {
  ProfileHeader header;
  std::vector<std::vector<std::uint64_t>> grid_hits;  ///< by set profile and number of sets
  std::vector<SharingSums> sharing_sums;              ///< by degree of sharing
};

/// Inside a transaction, if a writer may be at work.
Result<Outline> read_outline(const Database& database);

}  // namespace cachescape::profile
