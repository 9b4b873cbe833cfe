// A program by its call stacks, for spreadsheets.
#pragma once

#include <string>

#include "product/report/stacks_report.hpp"

namespace cachescape::report {

/// RFC 4180 with a header. A line for each stack shown, without others and totals: stack, module, recursive (0 or 1),
/// calls, and the main counters, 0 where nothing was counted.
std::string stacks_csv(const StacksReport& report);

/// stack,metric,value: the program's counters, with an empty stack, then those of each stack shown.
std::string stack_counters_csv(const StacksReport& report);

}  // namespace cachescape::report
