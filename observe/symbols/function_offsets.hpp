// Where in a file the functions of a name begin.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cachescape/result.hpp"
#include "observe/symbols/debug_file.hpp"

namespace cachescape::symbols {

/// Whether a function's linkage name is meant by what a person says: the name as reports show it, with or without the
/// types of its arguments, or the linkage name. Copies that a compiler has made for some calls are meant too.
bool is_named(const std::string& linkage_name, const std::string& wanted);

/// Offsets in the file, ascending; none where it has no such function. Separate debug files are asked where it has no
/// symbols of its own.
Result<std::vector<std::uint64_t>> function_offsets(const std::string& path, const std::string& wanted,
                                                    const std::string& folder = debug_folder);

}  // namespace cachescape::symbols
