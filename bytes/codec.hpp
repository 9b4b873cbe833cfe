// What the decompressors have in common: they turn stored bytes into original bytes, piece by piece.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "cachescape/result.hpp"

namespace cachescape::bytes {

/// What went wrong inside a codec; the stream around it knows where.
struct CodecFailure {
  ErrorKind kind;
  std::string what;
};

/// The outcome of one call of Codec::decode.
struct Step {
  std::size_t consumed = 0;
  std::size_t produced = 0;
  /// Whether the stream may end here: all members begun are complete.
  bool complete = false;
  /// Set where decoding cannot go on; what was produced before it is good.
  std::optional<CodecFailure> failure;
};

/// A decompressor for one stream of concatenated members. One thread.
class Codec {
 public:
  Codec() = default;
  Codec(const Codec&) = delete;
  Codec& operator=(const Codec&) = delete;
  virtual ~Codec() = default;

  /// Decodes from `in` to `out`; `last` says that no input follows `in`.
  virtual Step decode(std::span<const std::byte> in, std::span<std::byte> out, bool last) = 0;
  virtual std::string_view name() const = 0;
};

/// Memory a stored stream may claim for its history window; larger claims are ErrorKind::limit.
inline constexpr unsigned largest_window_log2 = 30;

Result<std::unique_ptr<Codec>> gzip_codec();
Result<std::unique_ptr<Codec>> xz_codec();
Result<std::unique_ptr<Codec>> zstd_codec();

}  // namespace cachescape::bytes
