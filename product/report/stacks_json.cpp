#include "product/report/stacks_json.hpp"

#include <utility>

#include "product/report/places_json.hpp"

namespace cachescape::report {
namespace {

using Json = nlohmann::ordered_json;

Json counts_json(const model::StackRow& row) { return {{"calls", row.calls}, {"counters", Json(row.counters)}}; }

}  // namespace

Json stacks_json(const StacksReport& report) {
  Json ratios = Json::object();
  for (const model::Ratio& r : report.ratios) ratios[r.key] = r.value;
  Json rows = Json::array();
  for (const model::StackRow& row : report.rows) {
    Json json{{"stack", row.functions}, {"module", row.module}, {"recursive", row.recursive}};
    json.update(counts_json(row));
    rows.push_back(std::move(json));
  }
  Json stacks{{"rows", std::move(rows)}, {"other_stacks", report.other_stacks}};
  if (report.other_stacks > 0) stacks["others"] = counts_json(report.others);
  stacks["total"] = counts_json(report.total);
  return {{"schema", "cachescape.report"},     {"version", places_schema_version},
          {"profile", report.summary.path},    {"summary", summary_json(report.summary)},
          {"counters", Json(report.counters)}, {"ratios", std::move(ratios)},
          {"stacks", std::move(stacks)}};
}

}  // namespace cachescape::report
