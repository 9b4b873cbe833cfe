#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "bytes/codec.hpp"
#include "bytes/file_source.hpp"
#include "bytes/replayed.hpp"
#include "bytes/source.hpp"

namespace cachescape::bytes {
namespace {

constexpr std::size_t stored_buffer = std::size_t{256} << 10;

/// The decompressed view of a source.
class DecompressedSource final : public ByteSource {
 public:
  DecompressedSource(std::unique_ptr<ByteSource> stored, std::unique_ptr<Codec> codec)
      : stored_(std::move(stored)), codec_(std::move(codec)), buffer_(stored_buffer) {}

  Result<std::size_t> read(std::span<std::byte> into) override {
    if (into.empty()) return 0;
    while (!error_) {
      if (begin_ == end_ && !stored_ended_) {
        if (auto refilled = refill(); !refilled) {
          error_ = std::move(refilled).error();
          break;
        }
      }
      const std::span<const std::byte> in(buffer_.data() + begin_, end_ - begin_);
      const Step step = codec_->decode(in, into, stored_ended_);
      begin_ += step.consumed;
      consumed_ += step.consumed;
      if (step.failure) {
        error_ = Error{step.failure->kind,
                       fmt::format("the {} data cannot be decompressed: {}", codec_->name(), step.failure->what),
                       fmt::format("{}, compressed byte {}", name(), consumed_), "get a fresh copy of the file"};
      }
      if (step.produced != 0) return step.produced;
      if (error_ || step.consumed != 0 || !stored_ended_) continue;
      if (step.complete) return 0;
      error_ = Error{ErrorKind::truncated, fmt::format("the {} data ends too early", codec_->name()),
                     fmt::format("{}, compressed byte {}", name(), consumed_), "get a complete copy of the file"};
    }
    return std::unexpected(*error_);
  }

  const std::string& name() const override { return stored_->name(); }
  std::uint64_t bytes_read() const override { return stored_->bytes_read(); }
  std::optional<std::uint64_t> bytes_total() const override { return stored_->bytes_total(); }

 private:
  Result<void> refill() {
    CACHESCAPE_TRY(const std::size_t count, stored_->read(buffer_));
    begin_ = 0;
    end_ = count;
    stored_ended_ = count == 0;
    return {};
  }

  std::unique_ptr<ByteSource> stored_;
  std::unique_ptr<Codec> codec_;
  std::vector<std::byte> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::uint64_t consumed_ = 0;
  bool stored_ended_ = false;
  std::optional<Error> error_;
};

using OpenCodec = Result<std::unique_ptr<Codec>> (*)();

struct Compression {
  std::string_view magic;
  OpenCodec open;  ///< null: known, but not read
  std::string_view name;
};

using namespace std::string_view_literals;

constexpr std::array compressions{
    Compression{"\x1f\x8b\x08"sv, gzip_codec, "gzip"},
    Compression{"\xfd"
                "7zXZ\0"sv,
                xz_codec, "xz"},
    Compression{"\x28\xb5\x2f\xfd"sv, zstd_codec, "zstd"},
    Compression{"BZh"sv, nullptr, "bzip2"},
    Compression{"\x04\x22\x4d\x18"sv, nullptr, "lz4"},
};
constexpr std::size_t longest_magic = 6;

// Frames that a zstd reader has to skip; parallel compressors put them first.
bool is_skippable_zstd_frame(std::string_view head) {
  return head.size() >= 4 && (static_cast<unsigned char>(head[0]) & 0xf0) == 0x50 &&
         head.substr(1, 3) == "\x2a\x4d\x18";
}

const Compression* recognise(std::string_view head) {
  if (is_skippable_zstd_frame(head)) return &compressions[2];
  const auto* found =
      std::ranges::find_if(compressions, [&](const Compression& c) { return head.starts_with(c.magic); });
  return found == compressions.end() ? nullptr : found;
}

}  // namespace

Result<std::unique_ptr<ByteSource>> decompressed(std::unique_ptr<ByteSource> source) {
  std::vector<std::byte> head(longest_magic);
  CACHESCAPE_TRY(const std::size_t count, read_fully(*source, head));
  head.resize(count);
  const Compression* compression = recognise({reinterpret_cast<const char*>(head.data()), head.size()});
  if (compression == nullptr && source->seekable()) {
    CACHESCAPE_CHECK(source->seek(0));
    return source;
  }
  if (compression != nullptr && compression->open == nullptr) {
    return failure(ErrorKind::unsupported,
                   fmt::format("it is compressed with {}, which is not read", compression->name), source->name(),
                   "decompress it first, or compress it with zstd, xz or gzip");
  }
  auto whole = replayed(std::move(head), std::move(source));
  if (compression == nullptr) return whole;
  CACHESCAPE_TRY(auto codec, compression->open());
  return std::make_unique<DecompressedSource>(std::move(whole), std::move(codec));
}

Result<std::unique_ptr<ByteSource>> open_source(const std::string& path) {
  CACHESCAPE_TRY(auto stored, open_stored(path));
  return decompressed(std::move(stored));
}

}  // namespace cachescape::bytes
