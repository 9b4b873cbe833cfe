// Signatures and seeds: whatever was read survives being written.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "product/signature/text.hpp"
#include "product/synth/seed_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cachescape;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto signatures = signature::read_text(text, "fuzz")) {
    const std::string once = signature::to_text(*signatures);
    const auto again = signature::read_text(once, "fuzz");
    if (!again || signature::to_text(*again) != once) std::abort();
  }
  const auto seed = synth::read_seed(std::as_bytes(std::span(data, size)), "fuzz");
  if (!seed) {
    if (seed.error().what.empty()) std::abort();
    return 0;
  }
  std::string file;
  const auto sink = bytes::memory_sink(file);
  if (!synth::write_seed(*seed, *sink) || !synth::read_seed(std::as_bytes(std::span(file)), "fuzz")) std::abort();
  return 0;
}
