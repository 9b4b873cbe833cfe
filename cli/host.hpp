// The machine that this program runs on.
#pragma once

#include <string>

namespace cachescape::cli {

/// "unknown" where it has none.
std::string host_name();

}  // namespace cachescape::cli
