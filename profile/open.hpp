// Opening a profile and making sure that it is one.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "cachescape/result.hpp"
#include "profile/database.hpp"

namespace cachescape::profile {

/// Opens for reading. The tables are there and are what this version defines; their contents are not looked at.
Result<std::unique_ptr<Database>> open_profile(const std::string& path);
Result<std::unique_ptr<Database>> open_profile(std::span<const std::byte> bytes, const std::string& name);

/// Whether the database says that it is a profile, of whatever version.
Result<bool> is_profile(const Database& database);

}  // namespace cachescape::profile
