// A working-set curve as a table, CSV, JSON and a chart.
#pragma once

#include <span>
#include <string>

#include <nlohmann/json.hpp>

#include "cachescape/line.hpp"
#include "model/curves.hpp"
#include "product/report/chart.hpp"

namespace cachescape::report {

inline constexpr int curve_schema_version = 1;

/// Cache size in bytes and lines, misses and miss ratio, a line per point.
std::string curve_table(std::span<const model::CurvePoint> points, LineSize line);
/// RFC 4180 with a header: line,lines,size,misses,miss_ratio.
std::string curve_csv(std::span<const model::CurvePoint> points, LineSize line);
/// Schema "cachescape.working_set": points as an array of objects with the CSV's names, "line" outside.
nlohmann::ordered_json curve_json(std::span<const model::CurvePoint> points, LineSize line);
/// Miss ratio by cache size. Points of 0 lines are left out.
std::string curve_chart(std::span<const model::CurvePoint> points, LineSize line, ChartOptions options);

}  // namespace cachescape::report
