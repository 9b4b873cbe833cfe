// The columns of tables that show counters of many places side by side.
#pragma once

#include <string>
#include <vector>

#include "model/counters.hpp"

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
                                 {"int.ops", "int ops"}}) {
    if (model::value_of(counted, c.metric)) columns.push_back(c);
  }
  return columns;
}

}  // namespace cachescape::report
