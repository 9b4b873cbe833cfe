#include "observe/symbols/function_offsets.hpp"

#include <string_view>

#include "observe/symbols/demangled.hpp"
#include "observe/symbols/elf_file.hpp"
#include "observe/symbols/symbol_table.hpp"

namespace cachescape::symbols {

bool is_named(const std::string& linkage_name, const std::string& wanted) {
  const auto is_copy = [](std::string_view rest) {
    return rest.starts_with(".constprop.") || rest.starts_with(".isra.");
  };
  if (linkage_name.starts_with(wanted)) {
    const std::string_view rest = std::string_view(linkage_name).substr(wanted.size());
    if (rest.empty() || is_copy(rest)) return true;
  }
  const std::string plain = demangled(linkage_name);
  if (plain == linkage_name || !plain.starts_with(wanted)) return false;
  const std::string_view rest = std::string_view(plain).substr(wanted.size());
  return rest.empty() || rest.starts_with('(') || rest.starts_with(" [clone .constprop.") ||
         rest.starts_with(" [clone .isra.");
}

Result<std::vector<std::uint64_t>> function_offsets(const std::string& path, const std::string& wanted,
                                                    const std::string& folder) {
  CACHESCAPE_TRY(const ElfFile file, ElfFile::open(path));
  SymbolTable symbols = SymbolTable::of(file);
  if (symbols.functions().empty())
    if (const auto debug = find_debug_file(file, folder)) symbols = SymbolTable::of(*debug);
  std::vector<std::uint64_t> offsets;
  for (const Symbol& function : symbols.functions())
    if (const auto offset = file.offset_of(function.address); offset && is_named(function.name, wanted))
      offsets.push_back(*offset);
  return offsets;
}

}  // namespace cachescape::symbols
