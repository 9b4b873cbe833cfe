#include <lzma.h>

#include <cstdint>

#include "bytes/codec.hpp"

namespace cachescape::bytes {
namespace {

// The window and what the decoder needs beside it.
constexpr std::uint64_t memory_limit = (std::uint64_t{1} << largest_window_log2) + (std::uint64_t{64} << 20);

class Xz final : public Codec {
 public:
  Xz() = default;
  ~Xz() override { lzma_end(&stream_); }

  bool start() { return lzma_stream_decoder(&stream_, memory_limit, LZMA_CONCATENATED) == LZMA_OK; }

  Step decode(std::span<const std::byte> in, std::span<std::byte> out, bool last) override {
    stream_.next_in = reinterpret_cast<const std::uint8_t*>(in.data());
    stream_.avail_in = in.size();
    stream_.next_out = reinterpret_cast<std::uint8_t*>(out.data());
    stream_.avail_out = out.size();
    const lzma_ret status = lzma_code(&stream_, last ? LZMA_FINISH : LZMA_RUN);
    Step step;
    step.consumed = in.size() - stream_.avail_in;
    step.produced = out.size() - stream_.avail_out;
    switch (status) {
      case LZMA_OK:
      case LZMA_BUF_ERROR:
        break;
      case LZMA_STREAM_END:
        step.complete = true;
        break;
      case LZMA_MEM_ERROR:
        step.failure = {ErrorKind::limit, "there is not enough memory to decompress it"};
        break;
      case LZMA_MEMLIMIT_ERROR:
        step.failure = {ErrorKind::limit, "it asks for a window of more than 1 GiB"};
        break;
      case LZMA_OPTIONS_ERROR:
        step.failure = {ErrorKind::unsupported, "it uses options that this build does not know"};
        break;
      case LZMA_FORMAT_ERROR:
        step.failure = {ErrorKind::corrupt, "what follows the compressed data is not xz"};
        break;
      default:
        step.failure = {ErrorKind::corrupt, "invalid data"};
    }
    return step;
  }

  std::string_view name() const override { return "xz"; }

 private:
  lzma_stream stream_ = LZMA_STREAM_INIT;
};

}  // namespace

Result<std::unique_ptr<Codec>> xz_codec() {
  auto codec = std::make_unique<Xz>();
  if (!codec->start()) return failure(ErrorKind::limit, "there is not enough memory to decompress xz data");
  return codec;
}

}  // namespace cachescape::bytes
