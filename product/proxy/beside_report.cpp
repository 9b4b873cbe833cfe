#include "product/proxy/beside_report.hpp"

#include <fmt/format.h>

#include "product/proxy/bench_report.hpp"
#include "product/report/table.hpp"

namespace cachescape::proxy {
namespace {

using Json = nlohmann::ordered_json;

}  // namespace

std::string beside_text(const Interference& of) {
  const std::size_t count = of.names.size();
  std::vector<report::Table::Column> columns{{"", report::Table::Align::left}, {"alone/s"}};
  for (const std::string& name : of.names) columns.push_back({name});
  columns.push_back({"mean"});
  report::Table table(columns);
  for (std::size_t who = 0; who < count; ++who) {
    std::vector<std::string> cells{of.names[who], fmt::format("{:.4g}", of.alone[who].median)};
    for (std::size_t other = 0; other < count; ++other)
      cells.push_back(fmt::format("{:.2f}", of.remaining(who, other)));
    cells.push_back(fmt::format("{:.2f}", of.sensitivity(who)));
    table.add(std::move(cells));
  }
  std::vector<std::string> last{"mean", ""};
  for (std::size_t other = 0; other < count; ++other) last.push_back(fmt::format("{:.2f}", of.interference(other)));
  last.emplace_back();
  table.add(std::move(last));
  return fmt::format(
      "Speed on processor {} beside another on processor {}, of 1 when alone; medians.\n"
      "A row tells what a workload suffers (sensitivity), a column what it does to others (interference).\n\n{}",
      of.processors[0], of.processors[1], table.text());
}

Json beside_json(const Interference& of) {
  Json workloads = Json::array();
  for (std::size_t who = 0; who < of.names.size(); ++who) {
    Json beside = Json::array();
    for (std::size_t other = 0; other < of.names.size(); ++other) {
      beside.push_back({{"name", of.names[other]},
                        {"remaining", of.remaining(who, other)},
                        {"per_second", rate_json(of.together[who][other])}});
    }
    workloads.push_back({{"name", of.names[who]},
                         {"alone_per_second", rate_json(of.alone[who])},
                         {"beside", std::move(beside)},
                         {"sensitivity", of.sensitivity(who)},
                         {"interference", of.interference(who)}});
  }
  return {{"schema", "cachescape.beside"},
          {"version", beside_schema_version},
          {"processors", of.processors},
          {"workloads", std::move(workloads)}};
}

}  // namespace cachescape::proxy
