// A sweep as a table, CSV, JSON and a chart.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "model/sweep.hpp"
#include "product/report/chart.hpp"

namespace cachescape::report {

inline constexpr int sweep_schema_version = 1;

/// One line per point: size, ways, sets, line, misses, miss ratio, model; then what was left out and why numbers are
/// estimates.
std::string sweep_table(const model::Sweep& sweep);
/// RFC 4180 with a header: level,size,ways,sets,line,misses,miss_ratio,model. Ways of a fully associative cache are
/// "full".
std::string sweep_csv(const model::Sweep& sweep);
/// Schema "cachescape.sweep": points as an array of objects with the CSV's names.
nlohmann::ordered_json sweep_json(const model::Sweep& sweep);
/// Miss ratio by size, a line for every combination of ways and line.
std::string sweep_chart(const model::Sweep& sweep, const ChartOptions& options);

}  // namespace cachescape::report
