// A program by its places, for programs.
#pragma once

#include <nlohmann/json.hpp>

#include "product/report/places_report.hpp"

namespace cachescape::report {

inline constexpr int places_schema_version = 1;

/// Schema "cachescape.report"; docs/formats/json.md lists its keys.
nlohmann::ordered_json places_json(const PlacesReport& report);

}  // namespace cachescape::report
