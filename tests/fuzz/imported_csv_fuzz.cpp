#include "tests/fuzz/imported_drain.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  cachescape::imported::drain_in_every_mode(bytes, "csv");
  cachescape::imported::ImportOptions options;
  options.columns = "kind,address,size,thread,pc,time";
  cachescape::imported::drain_in_every_mode(bytes, "csv", options);
  return 0;
}
