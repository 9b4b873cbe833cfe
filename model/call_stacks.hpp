// Counters by call stack.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cachescape/places.hpp"
#include "model/counters.hpp"

namespace cachescape::model {

struct StackRow {
  std::vector<std::string> functions;  ///< outermost first; never empty
  std::string module;                  ///< of the innermost
  bool recursive = false;              ///< the innermost was called again below itself
  std::uint64_t calls = 0;             ///< of the innermost
  Counters counters;                   ///< of the innermost itself, without what it calls

  friend bool operator==(const StackRow&, const StackRow&) = default;
};

/// What rows are put in order by, largest first.
enum class StackOrder : std::uint8_t { instructions, memory_operations, bytes };

/// The stacks in which something was counted; rows that are equal stay in the order of the profile. Precondition:
/// check_form of the profile. O(counters log metrics + rows log rows).
std::vector<StackRow> counters_by_stack(const Places& places, StackOrder order);

/// Adds calls and counters.
void add(StackRow& to, const StackRow& row);

}  // namespace cachescape::model
