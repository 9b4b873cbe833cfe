// The columns of tables that show counters of many places side by side.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "model/counters.hpp"
#include "product/report/number_text.hpp"

namespace cachescape::report {

struct CounterColumn {
  const char* metric;
  const char* title;
};

/// The main counters, the most telling first: those that were counted at all.
inline std::vector<CounterColumn> counter_columns(const model::Counters& counted) {
  std::vector<CounterColumn> columns;
  for (const CounterColumn& c : {CounterColumn{"instructions", "instructions"},
                                 {"loads", "loads"},
                                 {"stores", "stores"},
                                 {"flops", "flops"},
                                 {"int.ops", "int ops"},
                                 {"loads.serial", "loads in flight"}}) {
    if (model::value_of(counted, c.metric)) columns.push_back(c);
  }
  return columns;
}

/// What stands in a column for one place; `absent` where its metric was not counted.
inline std::string counter_cell(const CounterColumn& column, const model::Counters& counters, const char* absent) {
  if (std::string_view(column.metric) == "loads.serial") {
    const auto in_flight = model::loads_in_flight(counters);
    return in_flight ? fmt::format("{:.1f}", *in_flight) : "–";
  }
  const auto value = model::value_of(counters, column.metric);
  return value ? with_thousands(*value) : absent;
}

}  // namespace cachescape::report
