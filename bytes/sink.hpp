// Bytes out: files, pipes and standard output, with every failure reported (a full disk above all).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "cachescape/result.hpp"

namespace cachescape::bytes {

/// A stream of bytes written by one thread; unbuffered, so that what write() accepted survives a crash.
class ByteSink {
 public:
  ByteSink() = default;
  ByteSink(const ByteSink&) = delete;
  ByteSink& operator=(const ByteSink&) = delete;
  virtual ~ByteSink() = default;

  /// Writes all of `bytes`, or fails.
  virtual Result<void> write(std::span<const std::byte> bytes) = 0;
  /// Closes and reports what only closing can tell (delayed write errors). No write() afterwards.
  virtual Result<void> close() = 0;

  virtual const std::string& name() const = 0;
  virtual std::uint64_t bytes_written() const = 0;
};

/// Creates or truncates `path` ("-" = standard output).
Result<std::unique_ptr<ByteSink>> open_sink(const std::string& path);

/// Whether open_sink() would succeed now, as far as that can be told without writing. What is at `path` stays as it is.
Result<void> check_sink(const std::string& path);

/// Appends to `out`, which must outlive the sink (tests).
std::unique_ptr<ByteSink> memory_sink(std::string& out);

}  // namespace cachescape::bytes
