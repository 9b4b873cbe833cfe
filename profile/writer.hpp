// Writes .cscape files that can be read while they grow.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "cachescape/profile.hpp"
#include "cachescape/result.hpp"
#include "profile/database.hpp"

namespace cachescape::profile {

struct WriterOptions {
  std::uint64_t max_bytes = 0;  ///< the file's size limit; 0 = none but the disk's
};

/// Writes snapshots of one profile. Used by one thread, not across fork(). A snapshot is there for readers when
/// update() returns, also after the writer is killed; a power cut may lose the last ones, never mix them. A writer that
/// is destroyed without finish() leaves an unfinished profile.
class ProfileWriter {
 public:
  /// A profile without contents at `path`, from now on readable by others. A finished or abandoned profile that was
  /// there is replaced by one rename; any other file is refused and left as it is.
  static Result<std::unique_ptr<ProfileWriter>> create(const std::string& path, WriterOptions options = {});

  /// Whether create() would succeed now. What is at `path` stays as it is.
  static Result<void> check(const std::string& path);

  /// Replaces the contents by `profile`, in one transaction. After an error the contents are what they were, and the
  /// writer can be used again. O(bins): some ten million histogram bins per second.
  Result<void> update(const Profile& profile);

  /// Marks the profile as finished and leaves a single file. Only where another program stays in the middle of a query
  /// for seconds are the files of SQLite's log left beside it, and the profile is complete all the same. Nothing can be
  /// written after success.
  Result<void> finish();

  std::uint64_t updates() const { return updates_; }

 private:
  ProfileWriter(std::string path, std::unique_ptr<Database> database)
      : path_(std::move(path)), database_(std::move(database)) {}
  Result<void> replace_by_copy();

  std::string path_;  ///< resolved
  std::unique_ptr<Database> database_;
  std::uint64_t updates_ = 0;
};

/// create(), update() and finish() in one: for profiles that come out at once.
Result<void> write_profile(const std::string& path, const Profile& profile);

}  // namespace cachescape::profile
