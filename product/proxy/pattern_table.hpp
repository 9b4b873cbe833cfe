// The two patterns that machines are compared by, beside the benchmarks that stand for them (Weinberg, section 6.3),
// and seeds of programs below them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "product/proxy/hpcc.hpp"
#include "product/proxy/measure.hpp"

namespace cachescape::proxy {

inline constexpr int pattern_table_schema_version = 1;

struct PatternRun {
  std::string pattern;  ///< "stride", "random" or the name of a seed
  Measurement measurement;
};

struct PatternTable {
  std::vector<PatternRun> runs;
  std::optional<HpccFigures> hpcc;
  std::string why_no_hpcc;  ///< where there are none
};

std::string pattern_table_text(const PatternTable& table);
/// Schema "cachescape.patterns".
nlohmann::ordered_json pattern_table_json(const PatternTable& table);

}  // namespace cachescape::proxy
