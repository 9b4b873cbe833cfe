// A program by its places, for people.
#pragma once

#include <cstddef>
#include <string>

#include "product/report/places_report.hpp"

namespace cachescape::report {

/// The summary, the counters, what is predicted for the machine, and the worst places with accesses and, by level,
/// misses and miss ratios; then the program's own misses, notes and warnings. Lines fit into `width` columns (at least
/// 40) as far as numbers allow: names lose their middle, and where even that is not enough each level gets a line of
/// its own.
std::string places_text(const PlacesReport& report, std::size_t width);

}  // namespace cachescape::report
