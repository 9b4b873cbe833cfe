// What threads take from each other, for people, programs and spreadsheets: `cachescape report --by sharing`.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "model/sharing_table.hpp"
#include "product/report/profile_summary.hpp"

namespace cachescape::report {

inline constexpr int sharing_schema_version = 1;

struct SharingReport {
  ProfileSummary summary;
  std::optional<model::SharingTable> table;  ///< none where the profile knows nothing of it
  std::size_t top = 10;                      ///< objects that are shown; 0 = all
};

std::string sharing_text(const SharingReport& report, std::size_t width);
nlohmann::ordered_json sharing_json(const SharingReport& report);
/// A row for each pair of places.
std::string sharing_csv(const SharingReport& report);

}  // namespace cachescape::report
