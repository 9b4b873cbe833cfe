// Software performance counters for people: a value and what it counts, a line each (after Byfl's report).
#pragma once

#include <string>
#include <vector>

#include "model/counters.hpp"

namespace cachescape::report {

/// The main counters, with their parts indented below them, then the ratios. What was not counted, and parts that are
/// 0, are left out. Ends with a newline; empty where there is nothing to say.
std::string main_counters_text(const model::Counters& counters, const std::vector<model::Ratio>& ratios);

/// The others: loads and stores by type, vector operations by shape, the instruction mix, calls by callee, and
/// whatever has a name of its own; a table each, largest first. No line is longer than `width` if names alone make it
/// so.
std::string all_counters_text(const model::Counters& counters, std::size_t width);

}  // namespace cachescape::report
