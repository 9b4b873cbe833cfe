#include "product/report/counters_text.hpp"

#include <array>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "product/report/number_text.hpp"
#include "product/report/table.hpp"

namespace cachescape::report {
namespace {

using model::Counters;

struct Part {
  std::string_view metric;
  std::string_view text;
};

/// A number that people ask for first, and what it consists of.
struct MainCounter {
  std::string_view text;
  std::string_view metric;  ///< empty: the sum of the parts
  std::array<Part, 4> parts{};
};

constexpr std::array<MainCounter, 11> main_counters = {{
    {"flops", "flops"},
    {"integer operations", "int.ops"},
    {"memory operations", "", {{{"loads", "loads"}, {"stores", "stores"}}}},
    {"branches",
     "",
     {{{"branches.conditional", "conditional"},
       {"branches.unconditional", "unconditional"},
       {"branches.indirect", "indirect"},
       {"branches.other", "other"}}}},
    {"bytes", "", {{{"bytes.loaded", "loaded"}, {"bytes.stored", "stored"}}}},
    {"different bytes", "bytes.unique"},
    {"bits of all operations", "op.bits", {{{"flop.bits", "of flops"}}}},
    {"vector operations", "vector.ops"},
    {"calls", "calls"},
    {"blocks executed", "blocks"},
    {"instructions", "instructions"},
}};

/// Told as a ratio only, because its unit says nothing by itself.
constexpr std::string_view serial_loads = "loads.serial";

constexpr std::array<std::string_view, 3> block_moves = {"memset", "memcpy", "memmove"};

struct Section {
  std::string_view prefix;
  std::string_view title;
};
constexpr std::array<Section, 5> sections = {{{"load.", "loads by type"},
                                              {"store.", "stores by type"},
                                              {"vector.", "vector operations by shape"},
                                              {"op.", "instruction mix"},
                                              {"call.", "calls by callee"}}};

std::optional<std::uint64_t> value_of(const MainCounter& counter, const Counters& counters) {
  if (!counter.metric.empty()) return model::value_of(counters, counter.metric);
  std::optional<std::uint64_t> sum;
  for (const Part& part : counter.parts) {
    if (const auto value = model::value_of(counters, part.metric)) sum = sum.value_or(0) + *value;
  }
  return sum;
}

/// Whether the main counters tell it.
bool is_main(std::string_view metric) {
  if (metric == serial_loads) return true;
  for (const MainCounter& counter : main_counters) {
    if (counter.metric == metric) return true;
    for (const Part& part : counter.parts) {
      if (part.metric == metric) return true;
    }
  }
  for (const std::string_view move : block_moves) {
    if (metric == fmt::format("{}.calls", move) || metric == fmt::format("{}.bytes", move)) return true;
  }
  return false;
}

bool is_in_section(std::string_view metric) {
  for (const Section& section : sections) {
    if (metric.starts_with(section.prefix)) return true;
  }
  return false;
}

std::string section_text(std::string_view title, const std::vector<model::NamedCount>& counts, std::size_t width) {
  if (counts.empty()) return {};
  std::uint64_t sum = 0;
  for (const model::NamedCount& c : counts) sum += c.value;
  Table table({{"count"}, {"share"}, {std::string(title), Table::Align::left}});
  for (const model::NamedCount& c : counts) table.add({with_thousands(c.value), percent(c.value, sum), c.name});
  table.fit(2, width, 12);
  return table.text();
}

/// Counters that have nothing in common, so that shares would mean nothing.
std::string others_text(const Counters& counters, std::size_t width) {
  if (counters.empty()) return {};
  Table table({{"count"}, {"other counters", Table::Align::left}});
  for (const auto& [metric, value] : counters) table.add({with_thousands(value), metric});
  table.fit(1, width, 14);
  return table.text();
}

}  // namespace

std::string main_counters_text(const Counters& counters, const std::vector<model::Ratio>& ratios) {
  std::vector<std::pair<std::string, std::string>> lines;
  for (const MainCounter& counter : main_counters) {
    const auto value = value_of(counter, counters);
    if (!value) continue;
    lines.emplace_back(with_thousands(*value), counter.text);
    for (const Part& part : counter.parts) {
      const auto of_part = model::value_of(counters, part.metric);
      if (of_part.value_or(0) > 0) lines.emplace_back(with_thousands(*of_part), "  " + std::string(part.text));
    }
  }
  for (const std::string_view move : block_moves) {
    const auto calls = model::value_of(counters, fmt::format("{}.calls", move));
    if (calls.value_or(0) == 0) continue;
    const auto bytes = model::value_of(counters, fmt::format("{}.bytes", move));
    lines.emplace_back(with_thousands(bytes.value_or(0)),
                       fmt::format("bytes {} by {} of {}()", move == "memset" ? "stored" : "loaded and stored",
                                   counted(*calls, "call"), move));
  }
  for (const model::Ratio& ratio : ratios) lines.emplace_back(fmt::format("{:.4f}", ratio.value), ratio.name);
  if (lines.empty()) return {};
  Table table({{"value"}, {"counter", Table::Align::left}});
  for (auto& [value, text] : lines) table.add({std::move(value), std::move(text)});
  return table.text();
}

std::string all_counters_text(const Counters& counters, std::size_t width) {
  std::vector<std::string> tables;
  for (const Section& section : sections) {
    std::vector<model::NamedCount> counts;
    for (model::NamedCount& c : model::counts_with_prefix(counters, section.prefix)) {
      if (!is_main(std::string(section.prefix) + c.name)) counts.push_back(std::move(c));
    }
    tables.push_back(section_text(section.title, counts, width));
  }
  Counters rest;
  for (const auto& [metric, value] : counters) {
    if (!is_main(metric) && !is_in_section(metric)) rest.emplace(metric, value);
  }
  tables.push_back(others_text(rest, width));
  std::string text;
  for (const std::string& table : tables) {
    if (!table.empty()) text += (text.empty() ? "" : "\n") + table;
  }
  return text;
}

}  // namespace cachescape::report
