// Whatever a machine file holds, reading it ends in a machine that is valid and survives being written, or in
// an error that says where.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "machine/presets.hpp"
#include "machine/toml_file.hpp"
#include "machine/validate.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cachescape::machine;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto machine = read_machine(text, "fuzz", load_preset);
  if (!machine) {
    if (machine.error().what.empty() || !machine.error().where.starts_with("fuzz")) std::abort();
    return 0;
  }
  if (!validate(*machine)) std::abort();
  const auto back = read_machine(to_toml(*machine), "back");
  if (!back || *back != *machine) std::abort();
  return 0;
}
