#include "model/counters.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace cachescape::model {
namespace {

using Maybe = std::optional<std::uint64_t>;

/// Does not add up: it is kept for the program, at no block, and for each function that code ended up in.
constexpr std::string_view unique_bytes = "bytes.unique";

/// In which `loads.serial` is counted.
constexpr double parts_of_a_load = 1000;

/// The bits of an element of type i32, f64, ptr …; nothing for other names.
Maybe bits_of(std::string_view type) {
  if (type == "ptr") return 64;
  if (!type.starts_with('i') && !type.starts_with('f')) return std::nullopt;
  type.remove_prefix(1);
  std::uint64_t bits = 0;
  const auto [end, error] = std::from_chars(type.data(), type.data() + type.size(), bits);
  if (error != std::errc{} || end != type.data() + type.size()) return std::nullopt;
  return bits;
}

/// What vector operations work on, from counters named <type>x<lanes>.
struct VectorSums {
  double operations = 0;
  double elements = 0;
  double sized_elements = 0;  ///< whose bits are known
  double bits = 0;
};

VectorSums vectors_of(const Counters& counters) {
  VectorSums sums;
  for (const NamedCount& shape : counts_with_prefix(counters, "vector.")) {
    const auto cross = shape.name.rfind('x');
    if (cross == std::string::npos) continue;
    std::uint64_t lanes = 0;
    const char* const last = shape.name.data() + shape.name.size();
    const auto [end, error] = std::from_chars(shape.name.data() + cross + 1, last, lanes);
    if (error != std::errc{} || end != last) continue;
    const double elements = static_cast<double>(shape.value) * static_cast<double>(lanes);
    sums.operations += static_cast<double>(shape.value);
    sums.elements += elements;
    if (const Maybe bits = bits_of(std::string_view(shape.name).substr(0, cross))) {
      sums.sized_elements += elements;
      sums.bits += elements * static_cast<double>(*bits);
    }
  }
  return sums;
}

}  // namespace

Counters counters_of(const Places& places) {
  Counters sums;
  for (const Counted& c : places.counted)
    if (c.metric != unique_bytes || c.block == nowhere) sums[c.metric] += c.value;
  return sums;
}

std::vector<GroupCounters> counters_by(const Places& places, Grouping grouping) {
  if (grouping == Grouping::variable || grouping == Grouping::object) return {};
  std::map<Group, Counters> groups;
  for (const Counted& c : places.counted) {
    if (c.metric == unique_bytes && (c.block == nowhere || grouping != Grouping::container)) continue;
    groups[group_of_block(places, c.block, grouping)][c.metric] += c.value;
  }
  std::vector<GroupCounters> rows;
  for (auto& [group, counters] : groups) rows.push_back({group, std::move(counters)});
  return rows;
}

Maybe value_of(const Counters& counters, std::string_view metric) {
  const auto found = counters.find(metric);
  return found == counters.end() ? Maybe() : found->second;
}

Maybe sum_of(const Counters& counters, std::initializer_list<std::string_view> metrics) {
  Maybe sum;
  for (const std::string_view metric : metrics) {
    if (const Maybe value = value_of(counters, metric)) sum = sum.value_or(0) + *value;
  }
  return sum;
}

std::vector<NamedCount> counts_with_prefix(const Counters& counters, std::string_view prefix) {
  std::vector<NamedCount> counts;
  for (auto c = counters.lower_bound(prefix); c != counters.end() && c->first.starts_with(prefix); ++c) {
    counts.push_back({c->first.substr(prefix.size()), c->second});
  }
  std::ranges::stable_sort(counts, std::greater<>{}, &NamedCount::value);
  return counts;
}

std::vector<Ratio> ratios_of(const Counters& counters) {
  std::vector<Ratio> ratios;
  const auto divide = [&](const char* name, const char* key, double part, double whole) {
    if (whole > 0) ratios.push_back({name, key, part / whole});
  };
  const auto add = [&](const char* name, const char* key, const Maybe& part, const Maybe& whole) {
    if (part && whole) divide(name, key, static_cast<double>(*part), static_cast<double>(*whole));
  };
  const Maybe flops = value_of(counters, "flops");
  const Maybe loads = value_of(counters, "loads");
  const Maybe stores = value_of(counters, "stores");
  const Maybe accesses = loads && stores ? Maybe(*loads + *stores) : std::nullopt;
  const Maybe operations = sum_of(counters, {"flops", "int.ops"});
  const Maybe branches =
      sum_of(counters, {"branches.conditional", "branches.unconditional", "branches.indirect", "branches.other"});
  add("bytes per flop", "bytes_per_flop", sum_of(counters, {"bytes.loaded", "bytes.stored"}), flops);
  add("flops per access", "flops_per_access", flops, accesses);
  add("operations per load", "operations_per_load", operations, loads);
  add("bits per operation", "bits_per_operation", value_of(counters, "op.bits"), operations);
  add("loads per store", "loads_per_store", loads, stores);
  if (const auto in_flight = loads_in_flight(counters))
    ratios.push_back({"loads in flight", "loads_in_flight", *in_flight});
  add("branches per instruction", "branches_per_instruction", branches, value_of(counters, "instructions"));
  const VectorSums vectors = vectors_of(counters);
  divide("elements per vector", "elements_per_vector", vectors.elements, vectors.operations);
  divide("bits per element", "bits_per_element", vectors.bits, vectors.sized_elements);
  return ratios;
}

std::optional<double> loads_in_flight(const Counters& counters) {
  const Maybe loads = value_of(counters, "loads");
  const Maybe serial = value_of(counters, "loads.serial");
  if (loads.value_or(0) == 0 || serial.value_or(0) == 0) return std::nullopt;
  return static_cast<double>(*loads) * parts_of_a_load / static_cast<double>(*serial);
}

}  // namespace cachescape::model
