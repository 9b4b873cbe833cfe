// Scores stay in their range whatever the input, and what is recognised can be read.
#include "tests/fuzz/imported_drain.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cachescape::imported;
  const auto bytes = std::as_bytes(std::span(data, size));
  for (const Format& format : formats()) {
    const int score = format.recognise(bytes);
    require(score >= 0 && score <= 100);
  }
  drain_in_every_mode(bytes, "");
  return 0;
}
