// Rows from values.
#pragma once

#include <cstdint>

#include "cachescape/places.hpp"
#include "cachescape/result.hpp"
#include "profile/database.hpp"

namespace cachescape::profile {

/// The rows of what indices count from 0 have the ids 1, 2, …
inline void bind_index(Statement& statement, int parameter, std::uint32_t index) {
  if (index == nowhere) {
    statement.bind_null(parameter);
  } else {
    statement.bind(parameter, std::uint64_t{index} + 1);
  }
}

/// Binds `values` to the parameters 1, 2, … and runs the statement.
template <class... Values>
Result<void> insert(Statement& statement, const Values&... values) {
  int parameter = 0;
  (statement.bind(++parameter, values), ...);
  return statement.run();
}

}  // namespace cachescape::profile
