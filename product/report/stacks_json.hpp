// A program by its call stacks, for programs.
#pragma once

#include <nlohmann/json.hpp>

#include "product/report/stacks_report.hpp"

namespace cachescape::report {

/// Schema "cachescape.report"; docs/formats/json.md lists its keys.
nlohmann::ordered_json stacks_json(const StacksReport& report);

}  // namespace cachescape::report
