// What DWARF says of code addresses and of variables.
#pragma once

#include <elfutils/libdw.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "cachescape/places.hpp"
#include "observe/symbols/elf_file.hpp"
#include "observe/symbols/location_table.hpp"
#include "observe/symbols/unit_scopes.hpp"

namespace cachescape::symbols {

/// A variable at a fixed address, where it is declared.
struct DeclaredVariable {
  std::uint64_t address = 0;  ///< in the file's own numbering
  std::string name;           ///< without what it is nested in
  std::string file;
  std::uint32_t line = 0;
};

class DebugInfo {
 public:
  /// `file` must live as long. Nothing where it has no debug information.
  static std::unique_ptr<DebugInfo> of(const ElfFile& file);

  /// The location of an address (in the file's own numbering) with the calls around that were inlined, or nowhere.
  /// `symbol` names the function where only lines are known. Fast where addresses of one unit come together.
  std::uint32_t locate(std::uint64_t address, const std::string& symbol, LocationTable& locations);
  /// All units' variables; walks all debug information.
  std::vector<DeclaredVariable> variables();

 private:
  struct EndDwarf {
    void operator()(Dwarf* dwarf) const { dwarf_end(dwarf); }
  };
  struct Unit {
    Dwarf_Die lines;    ///< has the line table
    Dwarf_Die entries;  ///< the same, or where they were split off to a file of their own
    std::unique_ptr<UnitScopes> scopes;
    std::vector<std::uint32_t> callers;  ///< by scope: location of the inlined call, plus 1; 0 = not looked up yet
    std::vector<std::string> names;      ///< by scope: the function; empty = not looked up yet
    boost::unordered_flat_map<std::pair<Dwarf_Line*, std::uint32_t>, std::uint32_t> known;  ///< by row and scope
  };
  struct Range {
    std::uint64_t begin, end;
    std::uint32_t unit;
  };
  Unit* unit_at(std::uint64_t address);
  const std::string& function(Unit& unit, std::uint32_t scope, const std::string& symbol);
  std::uint32_t caller(Unit& unit, std::uint32_t scope, const std::string& symbol, LocationTable& locations);

  std::unique_ptr<Dwarf, EndDwarf> dwarf_;
  std::vector<Unit> units_;
  std::vector<Range> ranges_;  ///< of units, by ascending begin
};

}  // namespace cachescape::symbols
