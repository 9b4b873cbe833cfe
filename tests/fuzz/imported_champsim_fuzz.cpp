#include "tests/fuzz/imported_drain.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  cachescape::imported::drain_in_every_mode(std::as_bytes(std::span(data, size)), "champsim");
  return 0;
}
