// What reading says of a file that was tampered with, for tests.
#pragma once

#include <filesystem>
#include <string>

#include <gtest/gtest.h>
#include <sqlite3.h>

#include "profile/reader.hpp"
#include "profile/scratch.hpp"
#include "profile/writer.hpp"

namespace cachescape::profile {

/// After `sql` on the profile at `path`, without that name; "fine" where there is nothing to complain of.
inline std::string complaint_at(const std::string& path, const std::string& sql) {
  sqlite3* database = nullptr;
  EXPECT_EQ(sqlite3_open(path.c_str(), &database), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK) << sql;
  sqlite3_close(database);
  const auto profile = read_profile(path);
  return profile ? "fine" : profile.error().where.substr(path.size()) + ": " + profile.error().what;
}

/// Of `example` as it is written now.
inline std::string complaint(const Profile& example, const std::string& sql) {
  const Scratch scratch;
  EXPECT_TRUE(write_profile(scratch.path("p"), example));
  return complaint_at(scratch.path("p"), sql);
}

/// Of a file in tests/compat.
inline std::string complaint_of_stored(const std::string& name, const std::string& sql) {
  const Scratch scratch;
  std::filesystem::copy(CACHESCAPE_SOURCE_DIR "/tests/compat/" + name, scratch.path("p"));
  return complaint_at(scratch.path("p"), sql);
}

}  // namespace cachescape::profile
