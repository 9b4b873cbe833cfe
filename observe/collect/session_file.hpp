// The collector's side of a session's shared memory.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "cachescape/result.hpp"
#include "session/session.h"

namespace cachescape::collect {

/// Owns the mapping of a session and its file descriptor. What other processes write into it is not trusted: offsets
/// and sizes are checked by whoever follows them.
class SessionFile {
 public:
  /// A new session that no process has joined yet.
  static Result<SessionFile> create(std::uint32_t wants);
  /// The session behind a descriptor that this process has inherited.
  static Result<SessionFile> open(int descriptor);
  SessionFile(SessionFile&&) noexcept;
  SessionFile& operator=(SessionFile&&) noexcept;
  ~SessionFile();

  cachescape_session& header() const { return *header_; }
  int descriptor() const { return descriptor_; }
  /// Bytes of the file, or nothing where they do not lie in it.
  std::span<const std::uint8_t> bytes(std::uint64_t at, std::uint64_t count) const;

 private:
  SessionFile(int descriptor, cachescape_session* header, std::uint64_t size)
      : descriptor_(descriptor), header_(header), size_(size) {}

  int descriptor_ = -1;
  cachescape_session* header_ = nullptr;
  std::uint64_t size_ = 0;
};

}  // namespace cachescape::collect
