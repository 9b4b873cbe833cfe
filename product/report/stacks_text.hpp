// A program by its call stacks, for people.
#pragma once

#include <cstddef>
#include <string>

#include "product/report/stacks_report.hpp"

namespace cachescape::report {

/// Summary, counters, and a table of the stacks. Lines fit into `width` columns where that is at least 40.
std::string stacks_text(const StacksReport& report, std::size_t width);

}  // namespace cachescape::report
