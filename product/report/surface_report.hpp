// A cache surface as a table, CSV, JSON and a heat map.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "model/surface.hpp"
#include "product/report/chart.hpp"

namespace cachescape::report {

inline constexpr int surface_schema_version = 1;

/// Hit rates in per cent: a line per depth, a column per width.
std::string surface_table(const model::Surface& surface);
/// RFC 4180 with a header: depth,width,hit_rate.
std::string surface_csv(const model::Surface& surface);
/// Schema "cachescape.surface": depths, widths, and hit_rate[width][depth].
nlohmann::ordered_json surface_json(const model::Surface& surface);
/// A cell per depth (across) and width (down), by colour, or without colours by characters from light to dense. With a
/// legend. Fits 80 columns.
std::string surface_heat_map(const model::Surface& surface, Glyphs glyphs, Colours colours);

}  // namespace cachescape::report
