#include "bytes/file_source.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <utility>

#include "bytes/descriptor.hpp"
#include "bytes/system_error.hpp"

namespace cachescape::bytes {
namespace {

// Linux transfers at most this much in one call.
constexpr std::size_t largest_read = 0x7ffff000;

class FileSource final : public ByteSource {
 public:
  FileSource(Descriptor descriptor, std::string name, std::uint64_t start, std::optional<std::uint64_t> total)
      : descriptor_(std::move(descriptor)), name_(std::move(name)), start_(start), total_(total) {}

  Result<std::size_t> read(std::span<std::byte> into) override {
    const std::size_t wanted = std::min(into.size(), largest_read);
    while (true) {
      const ssize_t count = ::read(descriptor_.get(), into.data(), wanted);
      if (count >= 0) {
        read_ += static_cast<std::uint64_t>(count);
        return static_cast<std::size_t>(count);
      }
      if (errno != EINTR) return std::unexpected(system_error(errno, "read", name_));
    }
  }

  bool seekable() const override { return total_.has_value(); }

  Result<void> seek(std::uint64_t offset) override {
    if (!seekable()) return ByteSource::seek(offset);
    constexpr auto farthest = static_cast<std::uint64_t>(std::numeric_limits<off_t>::max());
    if (offset > farthest - start_) return std::unexpected(system_error(EINVAL, "seek", name_));
    if (::lseek(descriptor_.get(), static_cast<off_t>(start_ + offset), SEEK_SET) < 0) {
      return std::unexpected(system_error(errno, "seek", name_));
    }
    return {};
  }

  const std::string& name() const override { return name_; }
  std::uint64_t bytes_read() const override { return read_; }
  std::optional<std::uint64_t> bytes_total() const override { return total_; }

 private:
  Descriptor descriptor_;
  std::string name_;
  std::uint64_t start_;
  std::optional<std::uint64_t> total_;
  std::uint64_t read_ = 0;
};

Descriptor open_for_reading(const std::string& path) {
  while (true) {
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd >= 0 || errno != EINTR) return Descriptor(fd);
  }
}

}  // namespace

Result<std::unique_ptr<ByteSource>> open_stored(const std::string& path) {
  const bool standard = path == "-";
  std::string name = standard ? "standard input" : path;
  // A duplicate of standard input, so that closing this source leaves the process its own.
  Descriptor descriptor = standard ? Descriptor(::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)) : open_for_reading(path);
  if (!descriptor.open()) return std::unexpected(system_error(errno, "open for reading", name));

  struct stat info{};
  if (::fstat(descriptor.get(), &info) != 0) return std::unexpected(system_error(errno, "examine", name));
  if (S_ISDIR(info.st_mode)) return std::unexpected(system_error(EISDIR, "open for reading", name));

  std::uint64_t start = 0;
  std::optional<std::uint64_t> total;
  if (S_ISREG(info.st_mode)) {
    const off_t position = ::lseek(descriptor.get(), 0, SEEK_CUR);
    if (position >= 0) {
      start = static_cast<std::uint64_t>(position);
      const auto size = static_cast<std::uint64_t>(info.st_size);
      total = size > start ? size - start : 0;
      ::posix_fadvise(descriptor.get(), position, 0, POSIX_FADV_SEQUENTIAL);
    }
  }
  return std::make_unique<FileSource>(std::move(descriptor), std::move(name), start, total);
}

}  // namespace cachescape::bytes
