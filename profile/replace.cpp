#include "profile/replace.hpp"

#include <fmt/format.h>
#include <sqlite3.h>
#include <unistd.h>

#include <filesystem>
#include <system_error>

#include "profile/database.hpp"
#include "profile/open.hpp"

namespace cachescape::profile {
namespace {

namespace fs = std::filesystem;

void remove_side_files(const std::string& path) {
  std::error_code ignored;
  for (const char* suffix : {"-wal", "-shm", "-journal"}) fs::remove(path + suffix, ignored);
}

Error in_the_way(const std::string& path) {
  return {ErrorKind::usage, "the output exists and is not a profile: it is left as it is", path,
          "choose another name, or remove it first"};
}

/// Takes what lies in the log of an unfinished profile into its file, which fails where another program has it open.
Result<void> fold_log(const Database& database) {
  if (sqlite3_db_readonly(database.raw(), "main") == 1) return std::unexpected(database.error(SQLITE_READONLY));
  sqlite3_busy_timeout(database.raw(), 0);
  const auto folded = database.run("PRAGMA journal_mode = DELETE");
  CACHESCAPE_TRY(Statement mode, database.prepare("PRAGMA journal_mode"));
  CACHESCAPE_TRY(const bool found, mode.step());
  const bool logged =
      found && std::string_view(reinterpret_cast<const char*>(sqlite3_column_text(mode.raw(), 0))) == "wal";
  if (logged && (folded || folded.error().kind == ErrorKind::io)) {
    return failure(ErrorKind::io, "another program is recording or reading the unfinished profile that is there",
                   database.name(), "wait until it has finished, or choose another name");
  }
  // Whatever else is wrong with a profile does not matter once it is replaced.
  return {};
}

}  // namespace

Result<std::string> resolve(const std::string& path) {
  if (path.empty()) return failure(ErrorKind::usage, "the name of the profile is empty", "", "name a file");
  std::error_code code;
  fs::path target = fs::absolute(path, code);
  // By hand, as the last link may point to what is yet to be created.
  constexpr int most_links = 40;
  for (int links = 0; fs::is_symlink(fs::symlink_status(target, code)) && links < most_links; ++links) {
    target = target.parent_path() / fs::read_symlink(target, code);
  }
  const fs::path resolved = fs::weakly_canonical(target, code);
  if (code) return failure(ErrorKind::io, fmt::format("cannot create: {}", code.message()), path, "check the path");
  return resolved.string();
}

Result<void> check_replaceable(const std::string& path) {
  std::error_code code;
  const fs::file_status status = fs::status(path, code);
  if (status.type() == fs::file_type::not_found) return {};
  if (status.type() == fs::file_type::directory) {
    return failure(ErrorKind::io, "cannot create: it is a folder", path, "name a file in it");
  }
  if (status.type() != fs::file_type::regular) return std::unexpected(in_the_way(path));
  if (fs::file_size(path, code) == 0 && !code) return {};
  CACHESCAPE_TRY(const auto database, Database::open(path, Database::Access::write));
  const auto profile = is_profile(*database);
  if (!profile && profile.error().kind != ErrorKind::malformed) return std::unexpected(profile.error());
  if (!profile || !*profile) return std::unexpected(in_the_way(path));
  return fold_log(*database);
}

std::string staging_path(const std::string& path) {
  std::string staged = fmt::format("{}.new-{}", path, getpid());
  discard(staged);
  return staged;
}

Result<void> put_in_place(const std::string& staged, const std::string& path) {
  // Before the rename: a new file must never be seen with an old file's log.
  remove_side_files(path);
  std::error_code code;
  fs::rename(staged, path, code);
  if (!code) return {};
  discard(staged);
  return failure(ErrorKind::io, fmt::format("cannot create: {}", code.message()), path,
                 "check the permissions of the file and of its folder");
}

void discard(const std::string& path) {
  remove_side_files(path);
  std::error_code ignored;
  fs::remove(path, ignored);
}

}  // namespace cachescape::profile
