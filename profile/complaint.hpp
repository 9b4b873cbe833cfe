// What reading says of a file that was tampered with, for tests.
#pragma once

#include <string>

#include <gtest/gtest.h>
#include <sqlite3.h>

#include "profile/reader.hpp"
#include "profile/scratch.hpp"
#include "profile/writer.hpp"

namespace cachescape::profile {

/// After `sql` on the profile's file, without its name; "fine" where there is nothing to complain of.
inline std::string complaint(const Profile& example, const std::string& sql) {
  const Scratch scratch;
  const std::string path = scratch.path("p");
  EXPECT_TRUE(write_profile(path, example));
  sqlite3* database = nullptr;
  EXPECT_EQ(sqlite3_open(path.c_str(), &database), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK) << sql;
  sqlite3_close(database);
  const auto profile = read_profile(path);
  return profile ? "fine" : profile.error().where.substr(path.size()) + ": " + profile.error().what;
}

}  // namespace cachescape::profile
