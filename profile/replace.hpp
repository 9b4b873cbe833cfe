// Putting a new profile where an old one, or nothing, is: whoever looks sees the old file or the new one, never a half.
#pragma once

#include <string>

#include "cachescape/result.hpp"

namespace cachescape::profile {

/// The file that `path` names behind all symbolic links, as an absolute path.
Result<std::string> resolve(const std::string& path);

/// Whether a new profile may take this place: nothing is there, an empty file, or a profile that nobody is recording. A
/// profile that is there becomes a single file. Precondition: `path` is resolved.
Result<void> check_replaceable(const std::string& path);

/// A name beside `path` for a file that is to replace it. A file left over there is removed.
std::string staging_path(const std::string& path);

/// Renames `staged` to `path`. What SQLite keeps beside `path` belongs to the old file and is removed.
Result<void> put_in_place(const std::string& staged, const std::string& path);

/// Removes a database and what SQLite keeps beside it.
void discard(const std::string& path);

}  // namespace cachescape::profile
