#include "observe/symbols/debug_info.hpp"

#include <gelf.h>

#include <algorithm>
#include <string_view>

#include "observe/symbols/demangled.hpp"
#include "observe/symbols/unit_walk.hpp"

namespace cachescape::symbols {
namespace {

/// libdw reads names of files and directories up to their end without looking where their section ends: the last one
/// must have an end.
bool strings_end(Elf* elf) {
  std::size_t names = 0;
  if (elf_getshdrstrndx(elf, &names) != 0) return false;
  for (Elf_Scn* section = elf_nextscn(elf, nullptr); section != nullptr; section = elf_nextscn(elf, section)) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr) continue;
    const char* const name = elf_strptr(elf, names, header.sh_name);
    if (name == nullptr) continue;
    const std::string_view which = name;
    if (which != ".debug_str" && which != ".debug_line_str") continue;
    const Elf_Data* const data = elf_rawdata(section, nullptr);
    if (data == nullptr || data->d_buf == nullptr || data->d_size == 0) continue;
    if (static_cast<const char*>(data->d_buf)[data->d_size - 1] != '\0') return false;
  }
  return true;
}

}  // namespace

std::unique_ptr<DebugInfo> DebugInfo::of(const ElfFile& file) {
  auto info = std::make_unique<DebugInfo>();
  info->dwarf_.reset(dwarf_begin_elf(file.elf(), DWARF_C_READ, nullptr));
  // Only now are compressed sections unpacked.
  if (info->dwarf_ == nullptr || !strings_end(file.elf())) return nullptr;
  Dwarf_CU* unit = nullptr;
  Dwarf_Off last = 0;
  Dwarf_Die die, split;
  std::uint8_t type = 0;
  while (dwarf_get_units(info->dwarf_.get(), unit, &unit, nullptr, &type, &die, &split) == 0) {
    // Units of types come after those of code; in damaged files either may come again.
    const Dwarf_Off offset = dwarf_dieoffset(&die);
    if (!info->units_.empty() && offset <= last) break;
    last = offset;
    if (type != DW_UT_compile && type != DW_UT_skeleton) continue;
    const auto number = static_cast<std::uint32_t>(info->units_.size());
    info->units_.push_back({die, type == DW_UT_skeleton && split.addr != nullptr ? split : die, nullptr, {}, {}, {}});
    Dwarf_Addr base = 0, begin = 0, end = 0;
    constexpr std::size_t most = 1 << 20;
    std::size_t count = 0;
    for (std::ptrdiff_t at = 0; (at = dwarf_ranges(&die, at, &base, &begin, &end)) > 0 && ++count < most;)
      if (begin < end) info->ranges_.push_back({begin, end, number});
  }
  if (info->units_.empty()) return nullptr;
  std::sort(info->ranges_.begin(), info->ranges_.end(),
            [](const Range& a, const Range& b) { return a.begin < b.begin; });
  return info;
}

DebugInfo::Unit* DebugInfo::unit_at(std::uint64_t address) {
  const auto after = std::upper_bound(ranges_.begin(), ranges_.end(), address,
                                      [](std::uint64_t a, const Range& r) { return a < r.begin; });
  if (after == ranges_.begin() || std::prev(after)->end <= address) return nullptr;
  return &units_[std::prev(after)->unit];
}

const std::string& DebugInfo::function(Unit& unit, std::uint32_t scope, const std::string& symbol) {
  std::string& name = unit.names[scope];
  if (!name.empty()) return name;
  const Scope& s = unit.scopes->scopes()[scope];
  name = demangled(linkage_name_of(s.die));
  // Debug information for lines only has no linkage names: the symbol of a C++ function says more than its plain name.
  if (name.empty() && s.parent == nowhere && symbol.find('(') != std::string::npos)
    name = symbol.substr(0, symbol.find(" [clone"));
  if (name.empty()) name = plain_name_of(s.die);
  return name;
}

std::uint32_t DebugInfo::caller(Unit& unit, std::uint32_t scope, const std::string& symbol, LocationTable& locations) {
  // Parents have lower numbers than what is inlined into them, so the chain ends.
  std::vector<std::uint32_t> chain;
  for (std::uint32_t s = scope; s != nowhere && unit.callers[s] == 0; s = unit.scopes->scopes()[s].parent)
    chain.push_back(s);
  for (; !chain.empty(); chain.pop_back()) {
    const std::uint32_t s = chain.back();
    const Scope& inlined = unit.scopes->scopes()[s];
    if (inlined.parent == nowhere) {
      unit.callers[s] = nowhere;
      continue;
    }
    Location call;
    call.function = function(unit, inlined.parent, symbol);
    call.line = number_of(inlined.die, DW_AT_call_line);
    call.column = number_of(inlined.die, DW_AT_call_column);
    if (call.line != 0) call.file = file_of(unit.entries, number_of(inlined.die, DW_AT_call_file));
    const std::uint32_t outer = unit.callers[inlined.parent];
    call.inlined_at = outer == nowhere ? nowhere : outer - 1;
    unit.callers[s] = locations.number(std::move(call)) + 1;
  }
  return unit.callers[scope] == nowhere ? nowhere : unit.callers[scope] - 1;
}

std::uint32_t DebugInfo::locate(std::uint64_t address, const std::string& symbol, LocationTable& locations) {
  Unit* const unit = unit_at(address);
  if (unit == nullptr) return nowhere;
  if (unit->scopes == nullptr) {
    unit->scopes = std::make_unique<UnitScopes>(unit->entries);
    unit->callers.resize(unit->scopes->scopes().size());
    unit->names.resize(unit->scopes->scopes().size());
  }
  const std::uint32_t scope = unit->scopes->at(address);
  Dwarf_Line* const row = dwarf_getsrc_die(&unit->lines, address);
  if (row == nullptr && scope == nowhere) return nowhere;

  const std::pair key(row, scope);
  if (scope != nowhere)
    if (const auto found = unit->known.find(key); found != unit->known.end()) return found->second;

  Location location;
  location.function = scope == nowhere ? symbol : function(*unit, scope, symbol);
  if (row != nullptr) {
    int number = 0;
    if (const char* const file = dwarf_linesrc(row, nullptr, nullptr); file != nullptr) location.file = file;
    if (dwarf_lineno(row, &number) == 0) location.line = static_cast<std::uint32_t>(number);
    if (dwarf_linecol(row, &number) == 0) location.column = static_cast<std::uint32_t>(number);
  }
  location.inlined_at = scope == nowhere ? nowhere : caller(*unit, scope, symbol, locations);
  const std::uint32_t result = locations.number(std::move(location));
  if (scope != nowhere) unit->known.emplace(key, result);
  return result;
}

std::vector<DeclaredVariable> DebugInfo::variables() {
  std::vector<DeclaredVariable> found;
  for (const Unit& unit : units_)
    walk_unit(unit.entries, [&](Dwarf_Die die, std::size_t) {
      if (dwarf_tag(&die) != DW_TAG_variable) return;
      Dwarf_Attribute attribute;
      Dwarf_Op* operations = nullptr;
      std::size_t count = 0;
      if (dwarf_attr(&die, DW_AT_location, &attribute) == nullptr ||
          dwarf_getlocation(&attribute, &operations, &count) != 0 || count != 1)
        return;
      std::uint64_t address = operations[0].number;
      if (operations[0].atom == DW_OP_addrx) {
        Dwarf_Attribute indirect;
        if (dwarf_getlocation_attr(&attribute, operations, &indirect) != 0 || dwarf_formaddr(&indirect, &address) != 0)
          return;
      } else if (operations[0].atom != DW_OP_addr) {
        return;
      }
      DeclaredVariable variable{address, plain_name_of(die), {}, 0};
      // Where a variable is defined apart from its declaration, the file and the line are at either.
      Dwarf_Word line = 0, file = 0;
      if (dwarf_formudata(dwarf_attr_integrate(&die, DW_AT_decl_line, &attribute), &line) == 0)
        variable.line = static_cast<std::uint32_t>(line);
      if (dwarf_formudata(dwarf_attr_integrate(&die, DW_AT_decl_file, &attribute), &file) == 0)
        variable.file = file_of(unit.entries, static_cast<std::uint32_t>(file));
      if (!variable.name.empty()) found.push_back(std::move(variable));
    });
  return found;
}

}  // namespace cachescape::symbols
