#include "profile/open.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <filesystem>
#include <system_error>

#include "profile/schema.hpp"

namespace cachescape::profile {
namespace {

constexpr std::string_view which_files = "name a .cscape file";
// SQLite takes anything shorter than its smallest page for a database that is yet to be written.
constexpr std::uint64_t least_bytes = 512;

Result<void> check_size(std::uint64_t bytes, const std::string& name) {
  if (bytes >= least_bytes) return {};
  return failure(
      ErrorKind::malformed,
      bytes == 0 ? "this is not a profile: the file is empty" : "this is not a profile: it is not an SQLite database",
      name, std::string(which_files));
}

Result<void> check_file(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code code;
  const fs::file_status status = fs::status(path, code);
  if (status.type() == fs::file_type::not_found) {
    return failure(ErrorKind::io, "cannot open: there is no such file", path, "check the spelling of the path");
  }
  if (status.type() == fs::file_type::none) {
    return failure(ErrorKind::io, fmt::format("cannot open: {}", code.message()), path,
                   "check the path and its permissions");
  }
  if (status.type() == fs::file_type::directory) {
    return failure(ErrorKind::io, "it is a folder, not a profile", path, std::string(which_files));
  }
  if (status.type() != fs::file_type::regular) {
    return failure(ErrorKind::io, "it is not a regular file: a profile cannot be read from a pipe or a device", path,
                   "save it to a file first");
  }
  const std::uint64_t bytes = fs::file_size(path, code);
  return check_size(bytes, path);
}

/// The reader asks these tables only, so that a file with a view or other columns in their place cannot mislead it.
Result<void> check_tables(const Database& database, std::int64_t version) {
  CACHESCAPE_TRY(Statement statement,
                 database.prepare("SELECT sql FROM sqlite_master WHERE type = 'table' AND name = ?1"));
  for (const SchemaObject& table : tables()) {
    if (!table.in(version)) continue;
    statement.reset();
    statement.bind(1, table.name);
    CACHESCAPE_TRY(const bool found, statement.step());
    if (!found) {
      return failure(ErrorKind::malformed, fmt::format("the profile has no table {}", table.name), database.name(),
                     "the profile was damaged or changed: record it again");
    }
    const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement.raw(), 0));
    if (text == nullptr || table.sql != text) {
      return failure(ErrorKind::malformed,
                     fmt::format("table {} is not the one that version {} defines", table.name, version),
                     database.name(), "the profile was changed: keep additions in tables of their own");
    }
  }
  return {};
}

Result<void> check_identity(const Database& database) {
  CACHESCAPE_TRY(const bool profile, is_profile(database));
  if (!profile) {
    return failure(ErrorKind::malformed, "this is not a profile: it is another program's SQLite database",
                   database.name(), std::string(which_files));
  }
  CACHESCAPE_TRY(const std::int64_t version, database.integer("PRAGMA user_version"));
  if (version > schema_version) {
    return failure(
        ErrorKind::unsupported,
        fmt::format("the profile has version {}, this program reads versions up to {}", version, schema_version),
        database.name(), "use a newer cachescape");
  }
  if (version < 1) {
    return failure(ErrorKind::malformed, fmt::format("the profile has version {}: there is no such version", version),
                   database.name(), "the profile was damaged or changed: record it again");
  }
  return check_tables(database, version);
}

}  // namespace

Result<bool> is_profile(const Database& database) {
  CACHESCAPE_TRY(const std::int64_t id, database.integer("PRAGMA application_id"));
  return id == application_id;
}

Result<std::unique_ptr<Database>> open_profile(const std::string& path) {
  CACHESCAPE_CHECK(check_file(path));
  CACHESCAPE_TRY(auto database, Database::open(path, Database::Access::read));
  CACHESCAPE_CHECK(check_identity(*database));
  return database;
}

Result<std::unique_ptr<Database>> open_profile(std::span<const std::byte> bytes, const std::string& name) {
  CACHESCAPE_CHECK(check_size(bytes.size(), name));
  // Byte 18 of the header says that a log file beside the database belongs to it.
  constexpr std::size_t write_version = 18;
  if (bytes[write_version] == std::byte{2}) {
    return failure(ErrorKind::unsupported, "an unfinished profile can only be read from its file", name,
                   "name the file instead");
  }
  CACHESCAPE_TRY(auto database, Database::open(bytes, name));
  CACHESCAPE_CHECK(check_identity(*database));
  return database;
}

}  // namespace cachescape::profile
