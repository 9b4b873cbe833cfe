// Rows from values.
#pragma once

#include "cachescape/result.hpp"
#include "profile/database.hpp"

namespace cachescape::profile {

/// Binds `values` to the parameters 1, 2, … and runs the statement.
template <class... Values>
Result<void> insert(Statement& statement, const Values&... values) {
  int parameter = 0;
  (statement.bind(++parameter, values), ...);
  return statement.run();
}

}  // namespace cachescape::profile
