#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "bytes/descriptor.hpp"
#include "bytes/sink.hpp"
#include "bytes/system_error.hpp"

namespace cachescape::bytes {
namespace {

constexpr std::size_t largest_write = 0x7ffff000;

class FileSink final : public ByteSink {
 public:
  FileSink(Descriptor descriptor, std::string name) : descriptor_(std::move(descriptor)), name_(std::move(name)) {}

  Result<void> write(std::span<const std::byte> bytes) override {
    if (!descriptor_.open()) return failure(ErrorKind::usage, "cannot write: the output is already closed", name_);
    while (!bytes.empty()) {
      const ssize_t count = ::write(descriptor_.get(), bytes.data(), std::min(bytes.size(), largest_write));
      if (count < 0) {
        if (errno == EINTR) continue;
        return std::unexpected(system_error(errno, "write", name_));
      }
      bytes = bytes.subspan(static_cast<std::size_t>(count));
      written_ += static_cast<std::uint64_t>(count);
    }
    return {};
  }

  Result<void> close() override {
    if (!descriptor_.open()) return {};
    // Linux frees the descriptor even where close() was interrupted: never repeat it.
    if (::close(descriptor_.release()) != 0 && errno != EINTR) {
      return std::unexpected(system_error(errno, "finish writing", name_));
    }
    return {};
  }

  const std::string& name() const override { return name_; }
  std::uint64_t bytes_written() const override { return written_; }

 private:
  Descriptor descriptor_;
  std::string name_;
  std::uint64_t written_ = 0;
};

Descriptor open_for_writing(const std::string& path) {
  while (true) {
    const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, 0666);
    if (fd >= 0 || errno != EINTR) return Descriptor(fd);
  }
}

}  // namespace

Result<void> check_sink(const std::string& path) {
  struct stat about{};
  const bool is_there = ::stat(path.c_str(), &about) == 0;
  // Only files are the same after they were opened.
  if (path == "-" || (is_there && !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode))) return {};
  // A link may lead to what is yet to be created.
  const bool is_link = !is_there && ::lstat(path.c_str(), &about) == 0;
  const int create = is_there ? 0 : is_link ? O_CREAT : O_CREAT | O_EXCL;
  const Descriptor descriptor(::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY | create, 0666));
  if (!descriptor.open()) return std::unexpected(system_error(errno, "open for writing", path));
  std::error_code ignored;
  if (is_link) std::filesystem::remove(std::filesystem::canonical(path, ignored), ignored);
  if (!is_there && !is_link) ::unlink(path.c_str());
  return {};
}

Result<std::unique_ptr<ByteSink>> open_sink(const std::string& path) {
  const bool standard = path == "-";
  std::string name = standard ? "standard output" : path;
  // A duplicate of standard output: closing it reports delayed errors and leaves the process its own.
  Descriptor descriptor = standard ? Descriptor(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0)) : open_for_writing(path);
  if (!descriptor.open()) return std::unexpected(system_error(errno, "open for writing", name));
  return std::make_unique<FileSink>(std::move(descriptor), std::move(name));
}

}  // namespace cachescape::bytes
