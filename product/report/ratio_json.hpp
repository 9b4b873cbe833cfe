// Ratios for programs: null where there is nothing to divide by.
#pragma once

#include <cstdint>

#include <nlohmann/json.hpp>

namespace cachescape::report {

inline nlohmann::ordered_json ratio(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return nullptr;
  return static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace cachescape::report
