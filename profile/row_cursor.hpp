// Rows of a table that nobody vouches for: every value is checked, every complaint names table and row.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "cachescape/profile.hpp"
#include "cachescape/result.hpp"
#include "profile/database.hpp"

namespace cachescape::profile {

/// The rows of `SELECT columns FROM table …`. The first `keys` columns identify a row in messages.
class RowCursor {
 public:
  RowCursor(Statement statement, std::string_view table, int keys)
      : statement_(std::move(statement)), table_(table), keys_(keys) {}

  Result<bool> next() { return statement_.step(); }
  /// Makes the rows start again, with `value` for the statement's only parameter.
  void restart(std::uint64_t value) {
    statement_.reset();
    statement_.bind(1, value);
  }

  /// An integer that is not negative; false where the column holds something else: then refuse(column).
  bool load(int column, std::uint64_t& out) const {
    sqlite3_stmt* raw = statement_.raw();
    if (sqlite3_column_type(raw, column) != SQLITE_INTEGER) return false;
    const sqlite3_int64 value = sqlite3_column_int64(raw, column);
    out = static_cast<std::uint64_t>(value);
    return value >= 0;
  }
  /// The complaint about a column that holds no such integer.
  std::unexpected<Error> refuse(int column) const;
  /// Any other complaint about this row.
  std::unexpected<Error> malformed(std::string what) const;
  /// A complaint about no row in particular.
  std::unexpected<Error> malformed_table(std::string what) const;
  std::unexpected<Error> failed(ErrorKind kind, std::string what) const;

  Result<std::uint64_t> integer(int column) const;
  /// At most `most`.
  Result<std::uint64_t> at_most(int column, std::uint64_t most) const;
  /// 64 bits that are no number: SQLite may think them negative.
  Result<std::uint64_t> bits(int column) const;
  Result<KindCounts> counts(int first_column) const;
  Result<double> real(int column) const;
  Result<std::string> text(int column) const;
  /// The same without a copy, until next() or restart().
  Result<std::string_view> text_view(int column) const;
  bool is_null(int column) const { return sqlite3_column_type(statement_.raw(), column) == SQLITE_NULL; }
  /// Columns scope and thread, in this order.
  Result<Scope> scope(int first_column) const;
  Result<LineSize> line(int column) const;

 private:
  std::string shown(int column) const;

  Statement statement_;
  std::string_view table_;
  int keys_;
};

/// `sql` selects from `table`.
Result<RowCursor> rows_of(const Database& database, std::string_view table, std::string_view sql, int keys);

/// Refuses rows of `table` whose `column`, the first of its primary key, is none of the ids 1 … count.
Result<void> check_orphans(const Database& database, std::string_view table, std::string_view column,
                           std::uint64_t count);

}  // namespace cachescape::profile
