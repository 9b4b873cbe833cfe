#include <zstd.h>
#include <zstd_errors.h>

#include "bytes/codec.hpp"

namespace cachescape::bytes {
namespace {

CodecFailure failure_of(std::size_t status) {
  switch (ZSTD_getErrorCode(status)) {
    case ZSTD_error_memory_allocation:
      return {ErrorKind::limit, "there is not enough memory to decompress it"};
    case ZSTD_error_frameParameter_windowTooLarge:
      return {ErrorKind::limit, "it asks for a window of more than 1 GiB"};
    case ZSTD_error_dictionary_wrong:
    case ZSTD_error_frameParameter_unsupported:
    case ZSTD_error_version_unsupported:
      return {ErrorKind::unsupported, ZSTD_getErrorName(status)};
    case ZSTD_error_prefix_unknown:
      return {ErrorKind::corrupt, "what follows the compressed data is not zstd"};
    default:
      return {ErrorKind::corrupt, ZSTD_getErrorName(status)};
  }
}

class Zstd final : public Codec {
 public:
  Zstd() : stream_(ZSTD_createDStream()) {}
  ~Zstd() override { ZSTD_freeDStream(stream_); }

  bool start() {
    return stream_ != nullptr &&
           ZSTD_isError(ZSTD_DCtx_setParameter(stream_, ZSTD_d_windowLogMax, int{largest_window_log2})) == 0;
  }

  Step decode(std::span<const std::byte> in, std::span<std::byte> out, bool) override {
    // At the end of a frame the next call would already begin another one.
    if (complete_ && in.empty()) return {.consumed = 0, .produced = 0, .complete = true, .failure = {}};
    ZSTD_inBuffer input{in.data(), in.size(), 0};
    ZSTD_outBuffer output{out.data(), out.size(), 0};
    const std::size_t status = ZSTD_decompressStream(stream_, &output, &input);
    Step step{.consumed = input.pos, .produced = output.pos, .complete = false, .failure = {}};
    if (ZSTD_isError(status) != 0) {
      step.failure = failure_of(status);
    } else {
      step.complete = complete_ = status == 0;
    }
    return step;
  }

  std::string_view name() const override { return "zstd"; }

 private:
  ZSTD_DStream* stream_;
  bool complete_ = false;
};

}  // namespace

Result<std::unique_ptr<Codec>> zstd_codec() {
  auto codec = std::make_unique<Zstd>();
  if (!codec->start()) return failure(ErrorKind::limit, "there is not enough memory to decompress zstd data");
  return codec;
}

}  // namespace cachescape::bytes
