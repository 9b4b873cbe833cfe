#include "profile/row_cursor.hpp"

#include <fmt/format.h>

#include <limits>

namespace cachescape::profile {

std::string RowCursor::shown(int column) const {
  sqlite3_stmt* raw = statement_.raw();
  switch (sqlite3_column_type(raw, column)) {
    case SQLITE_INTEGER:
      return fmt::format("{}", sqlite3_column_int64(raw, column));
    case SQLITE_FLOAT:
      return fmt::format("{}", sqlite3_column_double(raw, column));
    case SQLITE_TEXT: {
      constexpr std::size_t enough = 40;
      const std::string_view text(reinterpret_cast<const char*>(sqlite3_column_text(raw, column)),
                                  static_cast<std::size_t>(sqlite3_column_bytes(raw, column)));
      return fmt::format("'{}'{}", text.substr(0, enough), text.size() > enough ? "…" : "");
    }
    case SQLITE_BLOB:
      return fmt::format("a blob of {} bytes", sqlite3_column_bytes(raw, column));
    default:
      return "NULL";
  }
}

std::unexpected<Error> RowCursor::failed(ErrorKind kind, std::string what) const {
  std::string where = fmt::format("{}: table {}", statement_.database().name(), table_);
  for (int i = 0; i < keys_; ++i) where += fmt::format(", {} {}", sqlite3_column_name(statement_.raw(), i), shown(i));
  return failure(kind, std::move(what), std::move(where), "the profile was damaged or changed: record it again");
}

std::unexpected<Error> RowCursor::malformed_table(std::string what) const {
  return failure(ErrorKind::malformed, std::move(what),
                 fmt::format("{}: table {}", statement_.database().name(), table_),
                 "the profile was damaged or changed: record it again");
}

std::unexpected<Error> RowCursor::malformed(std::string what) const {
  return failed(ErrorKind::malformed, std::move(what));
}

std::unexpected<Error> RowCursor::refuse(int column) const {
  return malformed(fmt::format("{} is {}: an integer from 0 on was expected",
                               sqlite3_column_name(statement_.raw(), column), shown(column)));
}

Result<std::uint64_t> RowCursor::integer(int column) const {
  std::uint64_t value = 0;
  if (!load(column, value)) return refuse(column);
  return value;
}

Result<std::uint64_t> RowCursor::at_most(int column, std::uint64_t most) const {
  CACHESCAPE_TRY(const std::uint64_t value, integer(column));
  if (value > most) {
    return malformed(
        fmt::format("{} is {}: at most {} was expected", sqlite3_column_name(statement_.raw(), column), value, most));
  }
  return value;
}

Result<std::uint64_t> RowCursor::bits(int column) const {
  sqlite3_stmt* raw = statement_.raw();
  if (sqlite3_column_type(raw, column) != SQLITE_INTEGER) {
    return malformed(fmt::format("{} is {}: an integer was expected", sqlite3_column_name(raw, column), shown(column)));
  }
  return static_cast<std::uint64_t>(sqlite3_column_int64(raw, column));
}

Result<KindCounts> RowCursor::counts(int first_column) const {
  KindCounts counts{};
  for (std::size_t k = 0; k < access_kinds; ++k) {
    const int column = first_column + static_cast<int>(k);
    if (!load(column, counts[k])) return refuse(column);
  }
  return counts;
}

Result<double> RowCursor::real(int column) const {
  const int type = sqlite3_column_type(statement_.raw(), column);
  if (type == SQLITE_FLOAT || type == SQLITE_INTEGER) return sqlite3_column_double(statement_.raw(), column);
  return malformed(
      fmt::format("{} is {}: a number was expected", sqlite3_column_name(statement_.raw(), column), shown(column)));
}

Result<std::string> RowCursor::text(int column) const {
  CACHESCAPE_TRY(const std::string_view text, text_view(column));
  return std::string(text);
}

Result<std::string_view> RowCursor::text_view(int column) const {
  sqlite3_stmt* raw = statement_.raw();
  if (sqlite3_column_type(raw, column) != SQLITE_TEXT) {
    return malformed(fmt::format("{} is {}: a text was expected", sqlite3_column_name(raw, column), shown(column)));
  }
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(raw, column));
  // Only a text that is too large to convert, or no memory, leaves nothing here.
  if (text == nullptr) return std::unexpected(statement_.database().error(SQLITE_NOMEM));
  return std::string_view(text, static_cast<std::size_t>(sqlite3_column_bytes(raw, column)));
}

Result<Scope> RowCursor::scope(int first_column) const {
  CACHESCAPE_TRY(const std::string name, text(first_column));
  if (name == "everything") {
    if (!is_null(first_column + 1))
      return malformed(fmt::format("thread is {}: NULL was expected", shown(first_column + 1)));
    return Scope{};
  }
  if (name != "thread") {
    return malformed(fmt::format("scope is {}: 'everything' or 'thread' was expected", shown(first_column)));
  }
  CACHESCAPE_TRY(const std::uint64_t thread, at_most(first_column + 1, std::numeric_limits<std::uint32_t>::max()));
  return Scope{Scope::Kind::thread, ThreadId{static_cast<std::uint32_t>(thread)}};
}

Result<LineSize> RowCursor::line(int column) const {
  CACHESCAPE_TRY(const std::uint64_t bytes, integer(column));
  if (!LineSize::valid(bytes)) {
    return malformed(fmt::format("line is {}: a power of two up to 1073741824 was expected", bytes));
  }
  return LineSize::of(bytes);
}

Result<RowCursor> rows_of(const Database& database, std::string_view table, std::string_view sql, int keys) {
  CACHESCAPE_TRY(Statement statement, database.prepare(sql));
  return RowCursor(std::move(statement), table, keys);
}

Result<void> check_orphans(const Database& database, std::string_view table, std::string_view column,
                           std::uint64_t count) {
  for (const std::string_view end : {"min", "max"}) {
    const std::string sql =
        fmt::format("SELECT {0} FROM {1} WHERE {0} = (SELECT {2}({0}) FROM {1}) LIMIT 1", column, table, end);
    CACHESCAPE_TRY(RowCursor rows, rows_of(database, table, sql, 1));
    CACHESCAPE_TRY(const bool found, rows.next());
    if (!found) continue;
    CACHESCAPE_TRY(const std::uint64_t id, rows.integer(0));
    if (id < 1 || id > count) return rows.malformed(fmt::format("there is no {} {}", column, id));
  }
  return {};
}

}  // namespace cachescape::profile
