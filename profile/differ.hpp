// Why profiles can not be merged: they were not recorded in the same way.
#pragma once

#include <string>
#include <utility>

#include "cachescape/result.hpp"

namespace cachescape::profile {

inline std::unexpected<Error> differ(std::string what) {
  return failure(ErrorKind::usage, std::move(what), "", "record all inputs with the same options");
}

}  // namespace cachescape::profile
