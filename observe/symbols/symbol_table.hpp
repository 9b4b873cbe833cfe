// The functions and variables that a file's symbol tables name.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "observe/symbols/elf_file.hpp"

namespace cachescape::symbols {

struct Symbol {
  std::uint64_t address = 0;  ///< in the file's own numbering
  std::uint64_t bytes = 0;
  std::string name;  ///< linkage name, without a version
};

class SymbolTable {
 public:
  /// Reads .symtab, or .dynsym where there is none. Of symbols at one address the one that is global comes first.
  static SymbolTable of(const ElfFile& file);

  /// The function at an address, or null. One of unknown size reaches to the next. O(log functions).
  const Symbol* function_at(std::uint64_t address) const;
  /// By ascending address, one at each.
  const std::vector<Symbol>& functions() const { return functions_; }
  /// By ascending address, of known sizes. Thread-local variables, which have no address, are left out.
  const std::vector<Symbol>& variables() const { return variables_; }
  bool empty() const { return functions_.empty() && variables_.empty(); }

 private:
  std::vector<Symbol> functions_;
  std::vector<Symbol> variables_;
};

}  // namespace cachescape::symbols
