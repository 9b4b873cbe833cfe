// What workloads do to each other, as a matrix.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "product/proxy/beside.hpp"

namespace cachescape::proxy {

inline constexpr int beside_schema_version = 1;

/// A row for each that was measured, a column for each that ran beside it.
std::string beside_text(const Interference& interference);
/// Schema "cachescape.beside".
nlohmann::ordered_json beside_json(const Interference& interference);

}  // namespace cachescape::proxy
