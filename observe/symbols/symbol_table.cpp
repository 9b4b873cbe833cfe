#include "observe/symbols/symbol_table.hpp"

#include <gelf.h>

#include <algorithm>
#include <tuple>

namespace cachescape::symbols {

namespace {

struct Found {
  Symbol symbol;
  bool global;
};

/// One symbol for each address; where there are several, of known size before others, global before local, then by
/// name, so that the choice does not depend on the linker.
std::vector<Symbol> one_each(std::vector<Found> all) {
  std::sort(all.begin(), all.end(), [](const Found& a, const Found& b) {
    return std::tuple(a.symbol.address, a.symbol.bytes == 0, !a.global, a.symbol.name) <
           std::tuple(b.symbol.address, b.symbol.bytes == 0, !b.global, b.symbol.name);
  });
  std::vector<Symbol> kept;
  for (Found& f : all)
    if (kept.empty() || kept.back().address != f.symbol.address) kept.push_back(std::move(f.symbol));
  return kept;
}

}  // namespace

SymbolTable SymbolTable::of(const ElfFile& file) {
  Elf_Scn* table = nullptr;
  GElf_Shdr header{};
  for (Elf_Scn* section = nullptr; (section = elf_nextscn(file.elf(), section)) != nullptr;) {
    GElf_Shdr h;
    if (gelf_getshdr(section, &h) == nullptr || (h.sh_type != SHT_SYMTAB && h.sh_type != SHT_DYNSYM)) continue;
    if (table != nullptr && h.sh_type == SHT_DYNSYM) continue;
    table = section;
    header = h;
    if (h.sh_type == SHT_SYMTAB) break;
  }
  SymbolTable result;
  Elf_Data* const data = table == nullptr ? nullptr : elf_getdata(table, nullptr);
  const std::size_t row = gelf_fsize(file.elf(), ELF_T_SYM, 1, EV_CURRENT);
  if (data == nullptr || row == 0) return result;

  std::vector<Found> functions, variables;
  for (std::size_t i = 0; i < data->d_size / row; ++i) {
    GElf_Sym symbol;
    if (gelf_getsym(data, static_cast<int>(i), &symbol) == nullptr) break;
    const int type = GELF_ST_TYPE(symbol.st_info);
    const bool function = type == STT_FUNC || type == STT_GNU_IFUNC;
    if (symbol.st_shndx == SHN_UNDEF || (!function && (type != STT_OBJECT || symbol.st_size == 0))) continue;
    const char* const text = elf_strptr(file.elf(), header.sh_link, symbol.st_name);
    if (text == nullptr || *text == '\0') continue;
    std::string name = text;
    name.resize(std::min(name.find('@'), name.size()));
    (function ? functions : variables)
        .push_back({{symbol.st_value, symbol.st_size, std::move(name)}, GELF_ST_BIND(symbol.st_info) != STB_LOCAL});
  }
  result.functions_ = one_each(std::move(functions));
  result.variables_ = one_each(std::move(variables));
  return result;
}

const Symbol* SymbolTable::function_at(std::uint64_t address) const {
  auto after = std::upper_bound(functions_.begin(), functions_.end(), address,
                                [](std::uint64_t a, const Symbol& s) { return a < s.address; });
  if (after == functions_.begin()) return nullptr;
  const Symbol& symbol = *--after;
  return symbol.bytes == 0 || address - symbol.address < symbol.bytes ? &symbol : nullptr;
}

}  // namespace cachescape::symbols
