// Inline machines and sizes: whatever was read survives being written.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "machine/inline_text.hpp"
#include "machine/size_text.hpp"
#include "machine/validate.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cachescape::machine;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto bytes = parse_size(text)) {
    if (*parse_size(print_size(*bytes)) != *bytes || *parse_size(print_size_tersely(*bytes)) != *bytes) std::abort();
  }
  const auto machine = read_inline(text);
  if (!machine) {
    if (machine.error().what.empty()) std::abort();
    return 0;
  }
  if (!validate(*machine)) std::abort();
  const auto back = read_inline(to_inline(*machine));
  if (!back || back->levels != machine->levels) std::abort();
  return 0;
}
