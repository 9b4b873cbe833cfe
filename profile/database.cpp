#include "profile/database.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "profile/schema.hpp"

namespace cachescape::profile {
namespace {

// How long a live reader or writer may keep us waiting.
constexpr int patience_ms = 3000;

std::string reason(sqlite3* database) {
  const int number = sqlite3_system_errno(database);
  return number != 0 ? std::generic_category().message(number) : std::string(sqlite3_errmsg(database));
}

}  // namespace

void Statement::Finalize::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
void Database::Close::operator()(sqlite3* database) const { sqlite3_close_v2(database); }

Result<bool> Statement::step() {
  const int code = sqlite3_step(raw());
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  return std::unexpected(database_->error(code));
}

Result<void> Statement::run() {
  const int code = sqlite3_step(raw());
  if (code == SQLITE_DONE || code == SQLITE_ROW) {
    sqlite3_reset(raw());
    return {};
  }
  Error error = database_->error(code);
  sqlite3_reset(raw());
  return std::unexpected(std::move(error));
}

void Statement::reset() { sqlite3_reset(raw()); }

void Statement::bind(int parameter, std::uint64_t value) {
  sqlite3_bind_int64(raw(), parameter, static_cast<sqlite3_int64>(value));
}
void Statement::bind(int parameter, double value) { sqlite3_bind_double(raw(), parameter, value); }
void Statement::bind(int parameter, std::string_view value) {
  // An empty view may have no address, which SQLite would take for NULL.
  sqlite3_bind_text64(raw(), parameter, value.empty() ? "" : value.data(), value.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
}
void Statement::bind_null(int parameter) { sqlite3_bind_null(raw(), parameter); }

Result<std::unique_ptr<Database>> Database::open(const std::string& path, Access access) {
  int flags = SQLITE_OPEN_NOMUTEX;
  switch (access) {
    case Access::read:
      flags |= SQLITE_OPEN_READONLY;
      break;
    case Access::write:
      flags |= SQLITE_OPEN_READWRITE;
      break;
    case Access::create:
      flags |= SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
      break;
  }
  // SQLite gives names such as ":memory:" a meaning; an absolute path has none but its own.
  std::error_code ignored;
  const std::string absolute = std::filesystem::absolute(path, ignored).string();
  sqlite3* raw = nullptr;
  const int code = sqlite3_open_v2(absolute.c_str(), &raw, flags, nullptr);
  std::unique_ptr<Database> database(new Database(raw, path));
  if (code != SQLITE_OK) return std::unexpected(database->error(code));
  CACHESCAPE_CHECK(database->harden());
  return database;
}

Result<std::unique_ptr<Database>> Database::open(std::span<const std::byte> bytes, std::string name) {
  sqlite3* raw = nullptr;
  int code = sqlite3_open_v2(":memory:", &raw, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nullptr);
  std::unique_ptr<Database> database(new Database(raw, std::move(name)));
  if (code == SQLITE_OK) {
    // Read-only, so that SQLite never writes through the pointer it wants without const.
    auto* data = const_cast<unsigned char*>(reinterpret_cast<const unsigned char*>(bytes.data()));
    const auto size = static_cast<sqlite3_int64>(bytes.size());
    code = sqlite3_deserialize(raw, "main", data, size, size, SQLITE_DESERIALIZE_READONLY);
  }
  if (code != SQLITE_OK) return std::unexpected(database->error(code));
  CACHESCAPE_CHECK(database->harden());
  return database;
}

Result<void> Database::harden() const {
  // A file may come from anywhere: nothing in it is run, and no text in it may ask for much memory.
  sqlite3_extended_result_codes(raw(), 1);
  sqlite3_busy_timeout(raw(), patience_ms);
  sqlite3_limit(raw(), SQLITE_LIMIT_LENGTH, max_text);
  sqlite3_db_config(raw(), SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(raw(), SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(raw(), SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  return run("PRAGMA cell_size_check = ON");
}

Result<void> Database::run(const std::string& sql) const {
  const int code = sqlite3_exec(raw(), sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) return std::unexpected(error(code));
  return {};
}

Result<Statement> Database::prepare(std::string_view sql) const {
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v2(raw(), sql.data(), static_cast<int>(sql.size()), &statement, nullptr);
  if (code != SQLITE_OK) return std::unexpected(error(code));
  return Statement(*this, statement);
}

Result<std::int64_t> Database::integer(std::string_view sql) const {
  CACHESCAPE_TRY(Statement statement, prepare(sql));
  CACHESCAPE_TRY(const bool found, statement.step());
  return found ? sqlite3_column_int64(statement.raw(), 0) : 0;
}

Error Database::error(int code) const {
  const int system = sqlite3_system_errno(raw());
  const bool full =
      (code & 0xff) == SQLITE_FULL || ((code & 0xff) == SQLITE_IOERR && (system == ENOSPC || system == EDQUOT));
  if (full) {
    return {ErrorKind::io, "cannot write: no space left for the profile", name_,
            "free some space or choose another place for the output; what was written before is intact"};
  }
  switch (code & 0xff) {
    case SQLITE_NOTADB:
      return {ErrorKind::malformed, "this is not a profile: it is not an SQLite database", name_,
              "name a .cscape file"};
    case SQLITE_CORRUPT:
      return {ErrorKind::corrupt, fmt::format("the profile is damaged: {}", sqlite3_errmsg(raw())), name_,
              "record it again, or rescue what is left with .recover in the sqlite3 shell"};
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return {ErrorKind::io, "another program is using the profile", name_, "wait until it has finished"};
    case SQLITE_READONLY:
    case SQLITE_PERM:
      return {ErrorKind::io, "cannot write: the profile is read-only", name_,
              "check the permissions of the file and of its folder"};
    case SQLITE_CANTOPEN:
      return {ErrorKind::io, fmt::format("cannot open: {}", reason(raw())), name_,
              "check the path and the permissions of the file and of its folder; an unfinished profile needs a folder "
              "that can be written to"};
    case SQLITE_IOERR:
      return {ErrorKind::io, fmt::format("cannot read or write: {}", reason(raw())), name_,
              "check the device, and that no limit on the size of files (ulimit -f) is in the way"};
    case SQLITE_NOMEM:
      return {ErrorKind::limit, "there is not enough memory for the profile", name_, ""};
    case SQLITE_TOOBIG:
      return {ErrorKind::limit, fmt::format("the profile holds a text of more than {} bytes", max_text), name_, ""};
    default:
      return {ErrorKind::malformed, fmt::format("the database cannot be used: {}", sqlite3_errmsg(raw())), name_, ""};
  }
}

}  // namespace cachescape::profile
