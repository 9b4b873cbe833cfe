// Files that travel inside the library: no installed tree is needed to use them. The build writes the function.
#pragma once

#include <string_view>

namespace cachescape::proxy {

/// The text of the file of this name; empty where there is none.
std::string_view embedded_file(std::string_view name);

}  // namespace cachescape::proxy
