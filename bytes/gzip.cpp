#define ZLIB_CONST
#include <zlib.h>

#include <algorithm>
#include <limits>

#include "bytes/codec.hpp"

namespace cachescape::bytes {
namespace {

class Gzip final : public Codec {
 public:
  Gzip() = default;
  ~Gzip() override { inflateEnd(&stream_); }

  bool start() { return inflateInit2(&stream_, MAX_WBITS + gzip_only) == Z_OK; }

  Step decode(std::span<const std::byte> in, std::span<std::byte> out, bool) override {
    Step step;
    if (between_members_) {
      // Archives on tape and block devices are padded with zeros.
      while (step.consumed < in.size() && in[step.consumed] == std::byte{0}) ++step.consumed;
      if (step.consumed == in.size()) {
        step.complete = any_member_;
        return step;
      }
      inflateReset(&stream_);
      between_members_ = false;
    }
    const std::size_t in_size = std::min(in.size() - step.consumed, largest_piece);
    const std::size_t out_size = std::min(out.size(), largest_piece);
    stream_.next_in = reinterpret_cast<const Bytef*>(in.data() + step.consumed);
    stream_.avail_in = static_cast<uInt>(in_size);
    stream_.next_out = reinterpret_cast<Bytef*>(out.data());
    stream_.avail_out = static_cast<uInt>(out_size);
    const int status = inflate(&stream_, Z_NO_FLUSH);
    step.consumed += in_size - stream_.avail_in;
    step.produced = out_size - stream_.avail_out;
    switch (status) {
      case Z_OK:
      case Z_BUF_ERROR:
        break;
      case Z_STREAM_END:
        any_member_ = between_members_ = true;
        step.complete = true;
        break;
      case Z_MEM_ERROR:
        step.failure = {ErrorKind::limit, "there is not enough memory to decompress it"};
        break;
      default:
        step.failure = {ErrorKind::corrupt, stream_.msg != nullptr ? stream_.msg : "invalid data"};
    }
    return step;
  }

  std::string_view name() const override { return "gzip"; }

 private:
  static constexpr int gzip_only = 16;  // zlib's flag for "gzip header, no other"
  static constexpr std::size_t largest_piece = std::numeric_limits<uInt>::max();

  z_stream stream_{};
  bool between_members_ = true;
  bool any_member_ = false;
};

}  // namespace

Result<std::unique_ptr<Codec>> gzip_codec() {
  auto codec = std::make_unique<Gzip>();
  if (!codec->start()) return failure(ErrorKind::limit, "there is not enough memory to decompress gzip data");
  return codec;
}

}  // namespace cachescape::bytes
