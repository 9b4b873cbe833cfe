// Rows with the ids 1, 2, …, and columns that refer to such rows.
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>

#include <fmt/format.h>

#include "cachescape/places.hpp"
#include "profile/row_cursor.hpp"

namespace cachescape::profile {

/// Calls `read` for each row of `table`, in the order of ids, which must be 1, 2, …
template <class Read>
Result<void> for_rows(const Database& database, std::string_view table, std::string_view columns, Read read) {
  CACHESCAPE_TRY(RowCursor rows,
                 rows_of(database, table, fmt::format("SELECT id, {} FROM {} ORDER BY id", columns, table), 1));
  for (std::uint64_t expected = 1;; ++expected) {
    CACHESCAPE_TRY(const bool more, rows.next());
    if (!more) return {};
    CACHESCAPE_TRY(const std::uint64_t id, rows.integer(0));
    if (id != expected) return rows.malformed(fmt::format("id {} was expected", expected));
    if (id >= nowhere) return rows.failed(ErrorKind::limit, fmt::format("there are more than {} rows", nowhere - 1));
    CACHESCAPE_CHECK(read(rows));
  }
}

/// An id between 1 and `count`, or NULL, as an index.
inline Result<std::uint32_t> index_of(const RowCursor& row, int column, std::string_view what, std::uint64_t count) {
  if (row.is_null(column)) return nowhere;
  CACHESCAPE_TRY(const std::uint64_t id, row.integer(column));
  if (id < 1 || id > count) return row.malformed(fmt::format("there is no {} {}", what, id));
  return static_cast<std::uint32_t>(id - 1);
}

/// A number of 32 bits.
inline Result<std::uint32_t> small(const RowCursor& row, int column) {
  CACHESCAPE_TRY(const std::uint64_t value, row.at_most(column, std::numeric_limits<std::uint32_t>::max()));
  return static_cast<std::uint32_t>(value);
}

}  // namespace cachescape::profile
