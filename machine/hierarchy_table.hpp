// Tables of two-level hierarchies, one machine a row: the form in which papers publish many at once.
#pragma once

#include <string_view>
#include <vector>

#include "cachescape/result.hpp"
#include "machine/machine.hpp"

namespace cachescape::machine {

/// What a table says of all its rows.
struct TableDescription {
  std::string_view prefix;  ///< row 7 is machine prefix-07
  std::string_view title;   ///< followed by the row's number
  std::string_view source;  ///< likewise
};

/// Reads comma-separated text whose first line is "id,l1_bytes,l1_line,l1_ways,l2_bytes,l2_line,l2_ways" and
/// whose other lines are whole numbers. The caches are private and LRU. A size that is not a whole number of
/// sets is rounded down, which the machine's source for it says. Errors name `file` and line.
Result<std::vector<Machine>> read_hierarchy_table(std::string_view text, std::string_view file,
                                                  const TableDescription& description);

}  // namespace cachescape::machine
