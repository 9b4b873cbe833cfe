// The columns of a table: which of them mean something to us.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cachescape/result.hpp"

namespace cachescape::imported {

/// What a column holds.
enum class Role : std::uint8_t { ignored, address, size, kind, thread, pc, time };

/// The columns from the left up to the last one that is not ignored.
struct Columns {
  std::vector<Role> roles;

  bool has(Role role) const;
};

/// The character that separates the fields of `line`: tab, comma or semicolon, whichever it has most of.
char delimiter_of(std::string_view line);

/// The columns that a line of names gives. Names are compared without case, blanks around them, and quotes; unknown
/// ones are ignored. An error where no column is the address or two have the same role; it has no `where`.
Result<Columns> columns_from_names(std::string_view names, char delimiter);

/// Removes a field from the front of `rest`: its text, unquoted; false where a quote is not closed. At the end of the
/// line `more` is false.
bool take_field(std::string_view& rest, char delimiter, std::string& field, bool& more);

}  // namespace cachescape::imported
