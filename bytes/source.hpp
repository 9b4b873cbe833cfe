// Bytes in: files, pipes and standard input behind one interface, decompressed on the way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cachescape/result.hpp"

namespace cachescape::bytes {

/// A stream of bytes read by one thread. Errors carry the name of the input.
class ByteSource {
 public:
  ByteSource() = default;
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;
  virtual ~ByteSource() = default;

  /// Reads at least one and at most `into.size()` bytes; 0 only at the end of the stream.
  virtual Result<std::size_t> read(std::span<std::byte> into) = 0;

  /// Whether seek() works: an uncompressed regular file or a buffer in memory.
  virtual bool seekable() const { return false; }
  /// Continues reading at `offset` from the start. Precondition: seekable().
  virtual Result<void> seek(std::uint64_t offset);

  /// What messages call this input: a path, or "standard input".
  virtual const std::string& name() const = 0;
  /// Stored (compressed) bytes consumed so far, and their total where the input is a regular file.
  virtual std::uint64_t bytes_read() const = 0;
  virtual std::optional<std::uint64_t> bytes_total() const = 0;
};

/// Opens `path` ("-" = standard input). gzip, xz and zstd are recognised by their first bytes, whatever the
/// file is called; concatenated members are read as one. A directory, a missing file or a file without
/// permission is an error that says so.
Result<std::unique_ptr<ByteSource>> open_source(const std::string& path);

/// Bytes that are already in memory (tests, fuzzing). Seekable. The bytes must outlive the source.
/// Not decompressed: wrap with decompressed().
std::unique_ptr<ByteSource> memory_source(std::span<const std::byte> bytes, std::string name = "memory");

/// Looks at the first bytes of `source` and, where they are a known compression format's, decompresses
/// what follows; otherwise passes it through (and stays seekable if it was).
Result<std::unique_ptr<ByteSource>> decompressed(std::unique_ptr<ByteSource> source);

/// All that is left; an error where that is more than `most` bytes.
Result<std::vector<std::byte>> read_all(ByteSource& source, std::size_t most);

/// Reads until `into` is full or the stream ends; the number of bytes read.
Result<std::size_t> read_fully(ByteSource& source, std::span<std::byte> into);

}  // namespace cachescape::bytes
