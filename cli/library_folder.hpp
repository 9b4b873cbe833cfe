// Where programs are, and the parts of cachescape that run inside others.
#pragma once

#include <optional>
#include <string>

namespace cachescape::cli {

/// The folder that this program is in.
std::string own_folder();

/// The folder lib/cachescape beside this program, as built or as installed, if `file` is in it.
std::optional<std::string> library_folder(const std::string& file);

/// Where a shell would find a program.
std::optional<std::string> path_of(const std::string& program);

}  // namespace cachescape::cli
