// What the curves of a program tell, for people and for programs.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "model/curve_summary.hpp"
#include "product/report/chart.hpp"

namespace cachescape::report {

inline constexpr int curve_summary_schema_version = 1;

/// Chart, knees, misses at each doubling of the size, median distance, spatial use, memory usage (or how to record it).
std::string curve_summary_text(const model::CurveSummary& summary, const ChartOptions& options);
/// Schema "cachescape.curves": "curve" at every size where it changes; "memory_usage" is null where it was not
/// recorded.
nlohmann::ordered_json curve_summary_json(const model::CurveSummary& summary);

}  // namespace cachescape::report
