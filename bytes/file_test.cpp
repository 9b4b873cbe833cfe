#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "bytes/compressing.hpp"
#include "bytes/sink.hpp"
#include "bytes/source.hpp"

namespace cachescape::bytes {
namespace {

class Files : public ::testing::Test {
 protected:
  Files() {
    std::string pattern = (std::filesystem::temp_directory_path() / "cachescape-bytes-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
  }
  ~Files() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return folder_ + "/" + name; }

  static std::string read_all(ByteSource& source) {
    std::string out;
    std::array<char, 4096> buffer{};
    while (true) {
      auto count = source.read(std::as_writable_bytes(std::span(buffer)));
      EXPECT_TRUE(count) << count.error().what;
      if (!count || *count == 0) return out;
      out.append(buffer.data(), *count);
    }
  }

 private:
  std::string folder_;
};

std::span<const std::byte> as_bytes(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

TEST_F(Files, WritesReadsAndSeeks) {
  auto sink = open_sink(path("data"));
  ASSERT_TRUE(sink);
  ASSERT_TRUE((*sink)->write(as_bytes("hello ")));
  ASSERT_TRUE((*sink)->write(as_bytes("world")));
  EXPECT_EQ((*sink)->bytes_written(), 11u);
  ASSERT_TRUE((*sink)->close());
  EXPECT_FALSE((*sink)->write(as_bytes("!")));

  auto source = open_source(path("data"));
  ASSERT_TRUE(source);
  EXPECT_EQ(read_all(**source), "hello world");
  EXPECT_EQ((*source)->bytes_total(), 11u);
  ASSERT_TRUE((*source)->seekable());
  ASSERT_TRUE((*source)->seek(6));
  EXPECT_EQ(read_all(**source), "world");
  ASSERT_TRUE((*source)->seek(1000));
  EXPECT_EQ(read_all(**source), "");
}

TEST_F(Files, DecompressesByContentsWhateverTheName) {
  std::ofstream(path("data.txt"), std::ios::binary) << zstd_compressed("hello");
  auto source = open_source(path("data.txt"));
  ASSERT_TRUE(source);
  EXPECT_EQ(read_all(**source), "hello");
  EXPECT_FALSE((*source)->seekable());
}

TEST_F(Files, SaysWhyAFileCannotBeOpened) {
  auto missing = open_source(path("nothing"));
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().kind, ErrorKind::io);
  EXPECT_EQ(missing.error().what, "cannot open for reading: there is no such file or folder");
  EXPECT_EQ(missing.error().where, path("nothing"));
  EXPECT_EQ(missing.error().hint, "check the spelling of the path");

  auto folder = open_source(path(""));
  ASSERT_FALSE(folder);
  EXPECT_EQ(folder.error().what, "cannot open for reading: it is a folder, not a file");

  auto target = open_sink(path(""));
  ASSERT_FALSE(target);
  EXPECT_EQ(target.error().what, "cannot open for writing: it is a folder, not a file");

  auto nowhere = open_sink(path("missing/file"));
  ASSERT_FALSE(nowhere);
  EXPECT_EQ(nowhere.error().what, "cannot open for writing: there is no such file or folder");
}

TEST_F(Files, ChecksWhatIsToBeWrittenAndLeavesIt) {
  EXPECT_TRUE(check_sink(path("new")));
  EXPECT_FALSE(std::filesystem::exists(path("new")));
  ASSERT_TRUE((*open_sink(path("old")))->write(as_bytes("text")));
  EXPECT_TRUE(check_sink(path("old")));
  EXPECT_EQ(std::filesystem::file_size(path("old")), 4u);
  EXPECT_TRUE(check_sink("-"));
  EXPECT_TRUE(check_sink("/dev/null"));
  std::filesystem::create_symlink("new", path("link"));
  EXPECT_TRUE(check_sink(path("link")));
  EXPECT_TRUE(std::filesystem::is_symlink(path("link")));
  EXPECT_FALSE(std::filesystem::exists(path("new")));
  EXPECT_EQ(check_sink(path("missing/file")).error().what, open_sink(path("missing/file")).error().what);
  EXPECT_EQ(check_sink(path("")).error().what, open_sink(path("")).error().what);
}

TEST_F(Files, SaysThatPermissionIsMissing) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may read everything";
  std::ofstream(path("secret")) << "x";
  ::chmod(path("secret").c_str(), 0);
  auto source = open_source(path("secret"));
  ASSERT_FALSE(source);
  EXPECT_EQ(source.error().what, "cannot open for reading: permission denied");
}

TEST_F(Files, ReportsAFullDisk) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "there is no /dev/full here";
  auto sink = open_sink("/dev/full");
  ASSERT_TRUE(sink);
  auto written = (*sink)->write(as_bytes("x"));
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().kind, ErrorKind::io);
  EXPECT_EQ(written.error().what, "cannot write: no space left on the device");
  EXPECT_EQ(written.error().hint, "free some space or choose another place for the output");
}

TEST_F(Files, ReadsPipesInFullDespiteSignals) {
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  struct sigaction action{};
  action.sa_handler = [](int) {};  // without SA_RESTART: system calls are interrupted
  ASSERT_EQ(::sigaction(SIGUSR1, &action, nullptr), 0);
  const pthread_t reader = ::pthread_self();
  const std::string data(300'000, 'x');
  std::thread writer([&] {
    auto sink = open_sink(path("pipe"));
    ASSERT_TRUE(sink);
    for (std::size_t at = 0; at < data.size(); at += 1000) {
      ASSERT_TRUE((*sink)->write(as_bytes(data).subspan(at, 1000)));
      ::pthread_kill(reader, SIGUSR1);
    }
  });
  auto source = open_source(path("pipe"));
  ASSERT_TRUE(source);
  EXPECT_FALSE((*source)->seekable());
  EXPECT_FALSE((*source)->bytes_total());
  EXPECT_TRUE(read_all(**source) == data);
  EXPECT_EQ((*source)->bytes_read(), data.size());
  writer.join();
}

TEST_F(Files, ReadsStandardInputFromWhereItStands) {
  std::ofstream(path("data")) << "header|rest";
  const int saved = ::dup(STDIN_FILENO);
  const int file = ::open(path("data").c_str(), O_RDONLY);
  ASSERT_EQ(::lseek(file, 7, SEEK_SET), 7);
  ::dup2(file, STDIN_FILENO);
  {
    auto source = open_source("-");
    ASSERT_TRUE(source);
    EXPECT_EQ((*source)->name(), "standard input");
    EXPECT_EQ(read_all(**source), "rest");
    EXPECT_EQ((*source)->bytes_total(), 4u);
    ASSERT_TRUE((*source)->seek(1));
    EXPECT_EQ(read_all(**source), "est");
  }
  EXPECT_GE(::fcntl(STDIN_FILENO, F_GETFD), 0) << "standard input stays open";
  ::dup2(saved, STDIN_FILENO);
  ::close(saved);
  ::close(file);
}

TEST(Memory, AppendsUntilClosed) {
  std::string out = "a";
  auto sink = memory_sink(out);
  ASSERT_TRUE(sink->write(as_bytes("bc")));
  ASSERT_TRUE(sink->close());
  EXPECT_FALSE(sink->write(as_bytes("d")));
  EXPECT_EQ(out, "abc");
  EXPECT_EQ(sink->bytes_written(), 2u);
}

TEST(ReadAll, TakesEverythingUpToALimit) {
  const std::string text(200'000, 'x');
  const auto bytes = std::as_bytes(std::span(text));
  for (const std::size_t length : {0, 1, 65'535, 65'536, 65'537, 131'072, 200'000}) {
    const auto all = read_all(*memory_source(bytes.first(length)), length);
    ASSERT_TRUE(all) << length;
    EXPECT_TRUE(std::ranges::equal(*all, bytes.first(length))) << length;
  }
  const auto too_much = read_all(*memory_source(bytes, "big"), 199'999);
  ASSERT_FALSE(too_much);
  EXPECT_EQ(too_much.error().kind, ErrorKind::limit);
  EXPECT_EQ(too_much.error().where, "big");
}

}  // namespace
}  // namespace cachescape::bytes
