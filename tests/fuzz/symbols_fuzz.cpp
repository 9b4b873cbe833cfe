// Any bytes as an ELF file with debug information: what our code makes of what libelf and libdw read from it.
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "observe/symbols/debug_info.hpp"
#include "observe/symbols/elf_file.hpp"
#include "observe/symbols/frame_table.hpp"
#include "observe/symbols/symbol_table.hpp"

using namespace cachescape::symbols;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<std::byte> bytes(reinterpret_cast<const std::byte*>(data),
                               reinterpret_cast<const std::byte*>(data) + size);
  const auto file = ElfFile::in_memory(bytes, "fuzz");
  if (!file) return 0;
  (void)file->build_id();
  (void)file->has_section(".debug_info");
  (void)file->data_sections();
  const SymbolTable symbols = SymbolTable::of(*file);
  const FrameTable frames = FrameTable::of(*file);
  LocationTable locations;
  const auto info = DebugInfo::of(*file);
  for (std::uint64_t offset = 0; offset < size; offset += 16) {
    const std::uint64_t address = file->address_at(offset).value_or(offset);
    (void)frames.begin_of_function(address);
    const Symbol* const symbol = symbols.function_at(address);
    if (info != nullptr) (void)info->locate(address, symbol == nullptr ? "" : symbol->name, locations);
  }
  if (info != nullptr) (void)info->variables();
  return 0;
}
