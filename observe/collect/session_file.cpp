#include "observe/collect/session_file.hpp"

#include <cerrno>
#include <cstring>
#include <ctime>
#include <utility>

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "session/session_layout.h"

namespace cachescape::collect {
namespace {

Result<cachescape_session*> mapped(int descriptor, std::uint64_t size) {
  void* const memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, descriptor, 0);
  if (memory == MAP_FAILED) {
    return failure(ErrorKind::io, fmt::format("no address space for the session: {}", std::strerror(errno)), {},
                   "a limit on virtual memory (ulimit -v) of less than 4 GiB is too small");
  }
  return static_cast<cachescape_session*>(memory);
}

std::uint64_t now_in_nanoseconds() {
  timespec t{};
  clock_gettime(CLOCK_REALTIME, &t);
  return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(t.tv_nsec);
}

}  // namespace

Result<SessionFile> SessionFile::create(std::uint32_t wants) {
  const int descriptor = memfd_create("cachescape", MFD_CLOEXEC);
  if (descriptor < 0)
    return failure(ErrorKind::io, fmt::format("no shared memory for a session: {}", std::strerror(errno)));
  cachescape_session layout{};
  const std::uint64_t size = cachescape_lay_out(&layout, wants);
  SessionFile file(descriptor, nullptr, size);
  if (ftruncate(descriptor, static_cast<off_t>(size)) != 0)
    return failure(ErrorKind::io, fmt::format("no shared memory for a session: {}", std::strerror(errno)));
  CACHESCAPE_TRY(file.header_, mapped(descriptor, size));
  layout.collector_pid = static_cast<std::uint32_t>(getpid());
  layout.started_at = now_in_nanoseconds();
  *file.header_ = layout;
  return file;
}

Result<SessionFile> SessionFile::open(int descriptor) {
  struct stat about{};
  cachescape_session header{};
  if (fstat(descriptor, &about) != 0 ||
      pread(descriptor, &header, sizeof header, 0) != static_cast<ssize_t>(sizeof header) ||
      !cachescape_usable(&header, static_cast<std::uint64_t>(about.st_size))) {
    return failure(ErrorKind::usage, fmt::format("descriptor {} is not a session of this version", descriptor), {},
                   "programs built by cachescape start this verb themselves");
  }
  CACHESCAPE_TRY(cachescape_session * mapping, mapped(descriptor, header.file_bytes));
  return SessionFile(descriptor, mapping, header.file_bytes);
}

SessionFile::SessionFile(SessionFile&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      header_(std::exchange(other.header_, nullptr)),
      size_(other.size_) {}

SessionFile& SessionFile::operator=(SessionFile&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(header_, other.header_);
  std::swap(size_, other.size_);
  return *this;
}

SessionFile::~SessionFile() {
  if (header_ != nullptr) munmap(header_, size_);
  if (descriptor_ >= 0) close(descriptor_);
}

std::span<const std::uint8_t> SessionFile::bytes(std::uint64_t at, std::uint64_t count) const {
  if (at > size_ || count > size_ - at) return {};
  return {reinterpret_cast<const std::uint8_t*>(header_) + at, count};
}

}  // namespace cachescape::collect
