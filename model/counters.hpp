// Software performance counters: what observers counted by block, added up, and what their ratios say.
// docs/reference/counters.md lists the metrics.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cachescape/places.hpp"
#include "model/groups.hpp"

namespace cachescape::model {

/// Totals of a run by metric. A metric that was not counted is absent; one that never happened may be 0.
using Counters = std::map<std::string, std::uint64_t, std::less<>>;

/// Of the whole program. O(counted log metrics).
Counters counters_of(const Places& places);

struct GroupCounters {
  Group group;
  Counters counters;

  friend bool operator==(const GroupCounters&, const GroupCounters&) = default;
};

/// By group, ascending. Groupings by variable and object have no counters, and give none.
std::vector<GroupCounters> counters_by(const Places& places, Grouping grouping);

/// Nothing where the metric was not counted.
std::optional<std::uint64_t> value_of(const Counters& counters, std::string_view metric);
/// The sum of those that were counted; nothing where none was.
std::optional<std::uint64_t> sum_of(const Counters& counters, std::initializer_list<std::string_view> metrics);

/// Counters whose metric begins with `prefix`, without it: "load." gives i32, f64, … Largest first, then by name.
struct NamedCount {
  std::string name;
  std::uint64_t value = 0;

  friend bool operator==(const NamedCount&, const NamedCount&) = default;
};
std::vector<NamedCount> counts_with_prefix(const Counters& counters, std::string_view prefix);

/// A quotient of two counters.
struct Ratio {
  std::string name;  ///< "bytes per flop"
  std::string key;   ///< "bytes_per_flop"
  double value = 0;

  friend bool operator==(const Ratio&, const Ratio&) = default;
};

/// In a fixed order, those whose inputs were counted and whose divisor is not 0: bytes per flop, flops per access,
/// operations per load, bits per operation, loads per store, loads in flight, branches per instruction, elements per
/// vector, bits per element.
std::vector<Ratio> ratios_of(const Counters& counters);

/// Loads that do not wait for each other, on average: loads over the time that they take one after the other, in loads.
/// Nothing where it was not counted or there are no loads. Of a program, `loads_in_flight(counters_of(places))`.
std::optional<double> loads_in_flight(const Counters& counters);

}  // namespace cachescape::model
