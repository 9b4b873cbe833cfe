// A program by its places, for spreadsheets.
#pragma once

#include <string>

#include "product/report/places_report.hpp"

namespace cachescape::report {

/// RFC 4180 with a header. A line for each place shown, without others and totals: name, function, file, line, kind,
/// reads, writes, modifies, bytes, touches, cold, and <level>_misses for each level. Empty where unknown.
std::string places_csv(const PlacesReport& report);

/// place,metric,value: the program's counters, with an empty place, then place_counters.
std::string counters_csv(const PlacesReport& report);

}  // namespace cachescape::report
