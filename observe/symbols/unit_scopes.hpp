// The functions of a compile unit and the calls inlined into them, by address.
#pragma once

#include <elfutils/libdw.h>

#include <cstdint>
#include <string>
#include <vector>

#include "cachescape/places.hpp"

namespace cachescape::symbols {

/// A function, or a call that was inlined.
struct Scope {
  Dwarf_Die die{};
  std::uint32_t parent = nowhere;  ///< the scope that it was inlined into; a function has none
};

class UnitScopes {
 public:
  /// Walks a unit once. O(entries · log entries).
  explicit UnitScopes(Dwarf_Die unit);

  /// The innermost scope at an address, or nowhere. O(log scopes).
  std::uint32_t at(std::uint64_t address) const;
  const std::vector<Scope>& scopes() const { return scopes_; }

 private:
  struct Range {
    std::uint64_t begin, end;
    std::uint32_t scope;
  };
  struct Change {
    std::uint64_t address;  ///< from here on
    std::uint32_t scope;
  };
  void flatten(std::vector<Range> ranges);

  std::vector<Scope> scopes_;  ///< parents before what is inlined into them
  std::vector<Change> changes_;
};

}  // namespace cachescape::symbols
