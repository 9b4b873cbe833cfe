// Rows from values.
#pragma once

#include <cstdint>

#include "cachescape/places.hpp"
#include "cachescape/profile.hpp"
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

/// Columns scope and thread, in this order.
inline void bind_scope(Statement& statement, int first_parameter, const Scope& scope) {
  const bool everything = scope.kind == Scope::Kind::everything;
  statement.bind(first_parameter, std::string_view(everything ? "everything" : "thread"));
  if (everything) {
    statement.bind_null(first_parameter + 1);
  } else {
    statement.bind(first_parameter + 1, std::uint64_t{scope.thread.value});
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
