// Decompresses anything, with pieces of odd sizes; a little of everything is enough to find what reads too far.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "bytes/source.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cachescape::bytes;
  auto source = decompressed(memory_source(std::as_bytes(std::span(data, size))));
  if (!source) return 0;
  // A small input may stand for very much data: stop after a while.
  constexpr std::size_t enough = std::size_t{4} << 20;
  std::array<std::byte, 40'009> buffer;
  for (std::size_t total = 0; total < enough;) {
    auto count = (*source)->read(buffer);
    if (!count && count.error().what.empty()) std::abort();
    if (!count || *count == 0) break;
    if (*count > buffer.size()) std::abort();
    total += *count;
  }
  return 0;
}
