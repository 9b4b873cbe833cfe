// Visits the entries of a compile unit's debug information, whatever state it is in.
#pragma once

#include <dwarf.h>
#include <elfutils/libdw.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace cachescape::symbols {

/// Calls visit(entry, depth) for every entry below a unit, parents first; depth 0 is the unit's children. A walk over
/// sound information meets ascending offsets only: one that turns back is damaged and ends.
template <class Visit>
void walk_unit(Dwarf_Die unit, Visit visit) {
  constexpr std::size_t deepest = 512;
  std::vector<Dwarf_Die> path;
  Dwarf_Off last = dwarf_dieoffset(&unit);
  Dwarf_Die die;
  if (dwarf_child(&unit, &die) != 0) return;
  while (true) {
    const Dwarf_Off offset = dwarf_dieoffset(&die);
    if (offset <= last) return;
    last = offset;
    visit(die, path.size());
    Dwarf_Die next;
    if (path.size() < deepest && dwarf_child(&die, &next) == 0) {
      path.push_back(die);
      die = next;
      continue;
    }
    while (dwarf_siblingof(&die, &next) != 0) {
      if (path.empty()) return;
      die = path.back();
      path.pop_back();
    }
    die = next;
  }
}

/// Empty where an entry and those it refers to have none, as in C.
inline std::string linkage_name_of(Dwarf_Die die) {
  Dwarf_Attribute attribute;
  if (dwarf_attr_integrate(&die, DW_AT_linkage_name, &attribute) == nullptr &&
      dwarf_attr_integrate(&die, DW_AT_MIPS_linkage_name, &attribute) == nullptr)
    return {};
  const char* const name = dwarf_formstring(&attribute);
  return name == nullptr ? "" : name;
}

/// As the source writes it, without what it is nested in; empty where there is none.
inline std::string plain_name_of(Dwarf_Die die) {
  const char* const name = dwarf_diename(&die);
  return name == nullptr ? "" : name;
}

/// A number of an entry, not of those it refers to; 0 where there is none.
inline std::uint32_t number_of(Dwarf_Die die, unsigned attribute_name) {
  Dwarf_Attribute attribute;
  Dwarf_Word value = 0;
  if (dwarf_attr(&die, attribute_name, &attribute) == nullptr || dwarf_formudata(&attribute, &value) != 0) return 0;
  return static_cast<std::uint32_t>(value);
}

/// A file by its number in a unit's table; empty where there is none.
inline std::string file_of(Dwarf_Die unit, std::uint32_t number) {
  Dwarf_Files* files = nullptr;
  std::size_t count = 0;
  if (dwarf_getsrcfiles(&unit, &files, &count) != 0 || number >= count) return {};
  const char* const name = dwarf_filesrc(files, number, nullptr, nullptr);
  return name == nullptr ? "" : name;
}

}  // namespace cachescape::symbols
