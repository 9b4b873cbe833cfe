// The source name of a linkage name.
#pragma once

#include <string>

namespace cachescape::symbols {

/// C++ names, and those of Fortran that flang has compiled, as a programmer writes them; any other name as it is.
std::string demangled(const std::string& name);

}  // namespace cachescape::symbols
