// Profiles in the course of being written: seen live, killed, without space, in the way of each other.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>

#include "profile/example.hpp"
#include "profile/reader.hpp"
#include "profile/scratch.hpp"
#include "profile/validate.hpp"
#include "profile/writer.hpp"

namespace cachescape::profile {
namespace {

namespace fs = std::filesystem;

/// A snapshot of about `bins` rows in which every number follows from `n`.
Profile numbered(std::uint64_t n, std::uint64_t bins) {
  Profile profile;
  profile.provenance = {{"number", std::to_string(n)}};
  profile.instructions = n;
  StackProfile stack{Scope{}, LineSize{6}, {}, n, {}};
  for (std::uint64_t d = 0; d < bins; ++d) stack.kinds[0].bins.push_back({d * 3, n + d + 1});
  profile.stacks.push_back(std::move(stack));
  return profile;
}

Profile unfinished(Profile profile) {
  profile.losses.truncated = true;
  return profile;
}

TEST(Writer, ASnapshotCanBeReadAsSoonAsItIsWritten) {
  const Scratch scratch;
  const std::string path = scratch.path("live");
  auto writer = ProfileWriter::create(path);
  ASSERT_TRUE(writer) << writer.error().what;
  EXPECT_EQ(*read_profile(path), unfinished({}));
  for (std::uint64_t n = 1; n <= 3; ++n) {
    ASSERT_TRUE((*writer)->update(numbered(n, 1000 / n)));
    EXPECT_EQ(*read_profile(path), unfinished(numbered(n, 1000 / n)));
    const auto header = read_header(path);
    EXPECT_EQ(header->updates, n);
    EXPECT_FALSE(header->finished);
  }
  ASSERT_TRUE((*writer)->finish());
  EXPECT_EQ(*read_profile(path), numbered(3, 333));
  EXPECT_TRUE(read_header(path)->finished);
  EXPECT_EQ(scratch.files(), 1u);
}

TEST(Writer, AReaderInMidQueryKeepsItsSnapshot) {
  const Scratch scratch;
  const std::string path = scratch.path("live");
  auto writer = ProfileWriter::create(path);
  ASSERT_TRUE((*writer)->update(numbered(1, 10)));
  sqlite3* other = nullptr;
  ASSERT_EQ(sqlite3_open_v2(path.c_str(), &other, SQLITE_OPEN_READONLY, nullptr), SQLITE_OK);
  const auto instructions = [&] {
    std::string value;
    const auto keep = [](void* out, int, char** values, char**) {
      *static_cast<std::string*>(out) = values[0];
      return 0;
    };
    EXPECT_EQ(sqlite3_exec(other, "SELECT instructions FROM recording", keep, &value, nullptr), SQLITE_OK);
    return value;
  };
  sqlite3_exec(other, "BEGIN", nullptr, nullptr, nullptr);
  EXPECT_EQ(instructions(), "1");
  ASSERT_TRUE((*writer)->update(numbered(2, 10)));
  EXPECT_EQ(instructions(), "1");
  sqlite3_exec(other, "COMMIT", nullptr, nullptr, nullptr);
  EXPECT_EQ(instructions(), "2");
  sqlite3_close(other);
}

TEST(Writer, LeavesOneFileEvenIfSomebodyHasItOpen) {
  const Scratch scratch;
  const std::string path = scratch.path("watched");
  auto writer = ProfileWriter::create(path);
  ASSERT_TRUE((*writer)->update(numbered(5, 500)));
  sqlite3* other = nullptr;
  ASSERT_EQ(sqlite3_open_v2(path.c_str(), &other, SQLITE_OPEN_READONLY, nullptr), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(other, "SELECT count(*) FROM stack_bin", nullptr, nullptr, nullptr), SQLITE_OK);
  ASSERT_TRUE((*writer)->finish());
  EXPECT_EQ(scratch.files(), 1u);
  EXPECT_EQ(*read_profile(path), numbered(5, 500));
  EXPECT_EQ(sqlite3_exec(other, "SELECT count(*) FROM stack_bin", nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(other);
  EXPECT_EQ(scratch.files(), 1u);
  EXPECT_EQ(*read_profile(path), numbered(5, 500));
}

TEST(Writer, AKilledWriterLeavesItsLastSnapshot) {
  const Scratch scratch;
  for (int round = 0; round < 5; ++round) {
    const std::string path = scratch.path("killed" + std::to_string(round));
    int ready[2];
    ASSERT_EQ(pipe(ready), 0);
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      auto writer = ProfileWriter::create(path);
      for (std::uint64_t n = 1; writer; ++n) {
        if (!(*writer)->update(numbered(n, 3000 + n % 7))) break;
        if (n == 3 && write(ready[1], "x", 1) != 1) break;
      }
      _exit(1);
    }
    char byte = 0;
    ASSERT_EQ(read(ready[0], &byte, 1), 1);
    usleep(static_cast<useconds_t>(3000 * round + 500));
    ASSERT_EQ(kill(child, SIGKILL), 0);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status));
    close(ready[0]);
    close(ready[1]);

    const auto header = read_header(path);
    ASSERT_TRUE(header) << header.error().what;
    EXPECT_FALSE(header->finished);
    EXPECT_GE(header->updates, 3u);
    const auto back = read_profile(path);
    ASSERT_TRUE(back) << back.error().what;
    EXPECT_EQ(*back, unfinished(numbered(header->updates, 3000 + header->updates % 7)));
    // An abandoned profile is in nobody's way.
    ASSERT_TRUE(write_profile(path, numbered(1, 2)));
    EXPECT_EQ(*read_profile(path), numbered(1, 2));
  }
  EXPECT_EQ(scratch.files(), 5u);
}

TEST(Writer, AnAbandonedProfileSaysThatItIsUnfinished) {
  const Scratch scratch;
  const std::string path = scratch.path("abandoned");
  {
    auto writer = ProfileWriter::create(path);
    ASSERT_TRUE((*writer)->update(numbered(1, 4)));
  }
  EXPECT_EQ(scratch.files(), 1u);
  EXPECT_EQ(*read_profile(path), unfinished(numbered(1, 4)));
  EXPECT_FALSE(read_header(path)->finished);
}

void expect_full(const Result<void>& result, const std::string& path) {
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, ErrorKind::io);
  EXPECT_EQ(result.error().what, "cannot write: no space left for the profile");
  EXPECT_EQ(result.error().where, path);
  EXPECT_EQ(result.error().hint,
            "free some space or choose another place for the output; what was written before is intact");
}

TEST(Writer, AFullFileKeepsTheSnapshotBefore) {
  const Scratch scratch;
  const std::string path = scratch.path("full");
  auto writer = ProfileWriter::create(path, {.max_bytes = 300'000});
  ASSERT_TRUE((*writer)->update(numbered(1, 1000)));
  expect_full((*writer)->update(numbered(2, 100'000)), path);
  EXPECT_EQ(*read_profile(path), unfinished(numbered(1, 1000)));
  ASSERT_TRUE((*writer)->update(numbered(3, 1100)));
  ASSERT_TRUE((*writer)->finish());
  EXPECT_EQ(*read_profile(path), numbered(3, 1100));
}

/// In a child with a file system of its own: 0 where all went well, 77 where it may not mount one, else the step that
/// failed.
int on_a_full_disk(const std::string& folder) {
  if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
      mount("tmpfs", folder.c_str(), "tmpfs", 0, "size=1m") != 0) {
    return 77;
  }
  const std::string path = folder + "/full";
  auto writer = ProfileWriter::create(path);
  if (!writer) return 1;
  if (!(*writer)->update(numbered(1, 1000))) return 2;
  const auto full = (*writer)->update(numbered(2, 200'000));
  if (full || full.error().what != "cannot write: no space left for the profile") return 3;
  const auto back = read_profile(path);
  if (!back || *back != unfinished(numbered(1, 1000))) return 4;
  // What SQLite has written so far is in the way of its own end: only the user can free space.
  const auto unfinishable = (*writer)->finish();
  if (unfinishable || unfinishable.error().what != "cannot write: no space left for the profile") return 5;
  if (mount("tmpfs", folder.c_str(), "tmpfs", MS_REMOUNT, "size=2m") != 0) return 6;
  if (!(*writer)->update(numbered(3, 900))) return 7;
  if (!(*writer)->finish()) return 8;
  const auto last = read_profile(path);
  return last && *last == numbered(3, 900) ? 0 : 9;
}

TEST(Writer, AFullDiskKeepsTheSnapshotBefore) {
  const Scratch scratch;
  const std::string folder = scratch.path("disk");
  fs::create_directory(folder);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) _exit(on_a_full_disk(folder));
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == 77) GTEST_SKIP() << "a small file system can only be mounted by root";
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(Writer, ReplacesAProfile) {
  const Scratch scratch;
  const std::string path = scratch.path("again");
  ASSERT_TRUE(write_profile(path, numbered(1, 5000)));
  const auto large = fs::file_size(path);
  ASSERT_TRUE(write_profile(path, numbered(2, 5)));
  EXPECT_EQ(*read_profile(path), numbered(2, 5));
  EXPECT_LT(fs::file_size(path), large);
  EXPECT_EQ(scratch.files(), 1u);
}

TEST(Writer, ReplacesThroughASymbolicLink) {
  const Scratch scratch;
  fs::create_symlink("target", scratch.path("link"));
  ASSERT_TRUE(write_profile(scratch.path("link"), numbered(1, 5)));
  ASSERT_TRUE(write_profile(scratch.path("link"), numbered(2, 5)));
  EXPECT_TRUE(fs::is_symlink(scratch.path("link")));
  EXPECT_EQ(*read_profile(scratch.path("target")), numbered(2, 5));
}

TEST(Writer, IgnoresTheLogOfAFileThatIsGone) {
  const Scratch scratch;
  const std::string path = scratch.path("gone");
  auto writer = ProfileWriter::create(path);
  ASSERT_TRUE((*writer)->update(numbered(9, 50)));
  fs::copy(path + "-wal", path + ".kept");
  ASSERT_TRUE((*writer)->finish());
  fs::remove(path);
  fs::rename(path + ".kept", path + "-wal");
  ASSERT_TRUE(write_profile(path, numbered(1, 2)));
  EXPECT_EQ(*read_profile(path), numbered(1, 2));
  EXPECT_EQ(scratch.files(), 1u);
}

Error refusal(const std::string& path) {
  auto writer = ProfileWriter::create(path);
  EXPECT_FALSE(writer);
  return writer ? Error{} : writer.error();
}

TEST(Writer, LeavesOtherFilesAlone) {
  const Scratch scratch;
  const std::string path = scratch.path("thesis.txt");
  std::ofstream(path)
      << "years of work, and more than a hundred bytes of them, so that it might be taken for a database header ....";
  const Error error = refusal(path);
  EXPECT_EQ(error.kind, ErrorKind::usage);
  EXPECT_EQ(error.what, "the output exists and is not a profile: it is left as it is");
  EXPECT_EQ(error.where, path);
  EXPECT_EQ(error.hint, "choose another name, or remove it first");
  EXPECT_EQ(fs::file_size(path), 106u);

  const std::string other = scratch.path("other.db");
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(other.c_str(), &database), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(database, "CREATE TABLE t(x)", nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(database);
  EXPECT_EQ(refusal(other).what, "the output exists and is not a profile: it is left as it is");
  EXPECT_EQ(refusal("/dev/null").what, "the output exists and is not a profile: it is left as it is");
  EXPECT_EQ(scratch.files(), 2u);
}

TEST(Writer, RefusesWhatCannotBeCreated) {
  const Scratch scratch;
  EXPECT_EQ(refusal(scratch.path("")).what, "cannot create: it is a folder");
  EXPECT_EQ(refusal("").what, "the name of the profile is empty");
  const Error missing = refusal(scratch.path("no/such/folder"));
  EXPECT_EQ(missing.kind, ErrorKind::io);
  EXPECT_EQ(missing.what, "cannot create: No such file or directory");
  EXPECT_EQ(missing.where, scratch.path("no/such/folder"));
  EXPECT_EQ(scratch.files(), 0u);
}

TEST(Writer, SaysWhyTheSystemRefuses) {
  const std::string path = "/sys/profile.cscape";  // which not even root can create
  const int file = open(path.c_str(), O_WRONLY | O_CREAT, 0644);
  const std::string why = std::generic_category().message(errno);
  ASSERT_LT(file, 0);
  EXPECT_EQ(refusal(path).what, "cannot create: " + why);
}

TEST(Writer, ChecksBeforehandAndLeavesWhatIsThere) {
  const Scratch scratch;
  EXPECT_TRUE(ProfileWriter::check(scratch.path("new")));
  EXPECT_EQ(scratch.files(), 0u);
  EXPECT_EQ(ProfileWriter::check(scratch.path("no/such/folder")).error().what,
            "cannot create: No such file or directory");
  ASSERT_TRUE(write_profile(scratch.path("old"), numbered(1, 10)));
  EXPECT_TRUE(ProfileWriter::check(scratch.path("old")));
  EXPECT_EQ(*read_profile(scratch.path("old")), numbered(1, 10));
  EXPECT_EQ(scratch.files(), 1u);
}

TEST(Writer, RefusesAProfileThatIsBeingRecorded) {
  const Scratch scratch;
  const std::string path = scratch.path("busy");
  auto writer = ProfileWriter::create(path);
  ASSERT_TRUE((*writer)->update(numbered(1, 10)));
  const Error error = refusal(path);
  EXPECT_EQ(error.kind, ErrorKind::io);
  EXPECT_EQ(error.what, "another program is recording or reading the unfinished profile that is there");
  EXPECT_EQ(error.hint, "wait until it has finished, or choose another name");
  ASSERT_TRUE((*writer)->update(numbered(2, 10)));
  ASSERT_TRUE((*writer)->finish());
  EXPECT_EQ(*read_profile(path), numbered(2, 10));
}

TEST(Writer, NothingIsWrittenAfterTheEnd) {
  const Scratch scratch;
  auto writer = ProfileWriter::create(scratch.path("p"));
  ASSERT_TRUE((*writer)->finish());
  EXPECT_EQ((*writer)->update({}).error().what, "the profile is finished and cannot be updated");
  EXPECT_EQ((*writer)->finish().error().what, "the profile is finished already");
}

TEST(Writer, RefusesWhatIsNoProfile) {
  const Scratch scratch;
  auto writer = ProfileWriter::create(scratch.path("p"));
  ASSERT_TRUE((*writer)->update(numbered(1, 3)));
  Profile bad = numbered(2, 3);
  std::swap(bad.stacks[0].kinds[0].bins[0], bad.stacks[0].kinds[0].bins[1]);
  const auto result = (*writer)->update(bad);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, ErrorKind::usage);
  EXPECT_EQ(result.error().what, "everything, 64-byte lines, read distances: value 0 follows 3: values must ascend");
  EXPECT_EQ(result.error().where, scratch.path("p"));
  EXPECT_EQ(*read_profile(scratch.path("p")), unfinished(numbered(1, 3)));
}

}  // namespace
}  // namespace cachescape::profile
