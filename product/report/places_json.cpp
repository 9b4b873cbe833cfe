#include "product/report/places_json.hpp"

#include <utility>

#include "model/kind_counts.hpp"
#include "product/report/outcome_json.hpp"
#include "product/report/prediction_json.hpp"
#include "product/report/ratio_json.hpp"

namespace cachescape::report {
namespace {

using Json = nlohmann::ordered_json;

using model::sum;

Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

Json group_json(const model::Group& group) {
  Json json{{"name", text_or_null(group.name)}};
  if (!group.function.empty()) json["function"] = group.function;
  if (!group.file.empty()) {
    json["file"] = group.file;
    json["line"] = group.line;
  }
  if (group.number != nowhere) json["number"] = group.number;
  if (group.kind != Object::Kind::unknown) {
    json["kind"] = model::name_of(group.kind);
    json["size"] = group.size;
    json["allocations"] = group.allocations;
  }
  if (!group.calls.empty()) {
    Json& calls = json["stack"] = Json::array();
    for (const model::Call& call : group.calls)
      calls.push_back(
          {{"function", text_or_null(call.function)}, {"file", text_or_null(call.file)}, {"line", call.line}});
  }
  return json;
}

Json counts_json(const PlacesReport& report, const model::PlaceRow& row) {
  Json levels = Json::array();
  for (std::size_t i = 0; i < row.misses.size(); ++i) {
    const std::uint64_t misses = sum(row.misses[i]);
    levels.push_back({{"name", report.places.levels[i].name},
                      {"misses", misses},
                      {"read_misses", row.misses[i][0] + row.misses[i][2]},
                      {"write_misses", row.misses[i][1]},
                      {"miss_ratio", ratio(misses, sum(row.touches))},
                      {"share", ratio(misses, sum(report.places.total.misses[i]))}});
  }
  return {{"accesses", sum(row.accesses)},
          {"reads", row.accesses[0]},
          {"writes", row.accesses[1]},
          {"modifies", row.accesses[2]},
          {"share", ratio(sum(row.accesses), sum(report.summary.accesses))},
          {"bytes", row.bytes},
          {"touches", sum(row.touches)},
          {"cold", sum(row.cold)},
          {"levels", std::move(levels)}};
}

Json rows_json(const PlacesReport& report) {
  Json rows = Json::array();
  for (const model::PlaceRow& place : report.places.rows) {
    Json row = group_json(place.group);
    row.update(counts_json(report, place));
    rows.push_back(std::move(row));
  }
  return rows;
}

Json place_counters_json(const PlacesReport& report) {
  Json all = Json::array();
  for (const model::GroupCounters& place : report.place_counters) {
    Json json = group_json(place.group);
    json["counters"] = Json(place.counters);
    all.push_back(std::move(json));
  }
  return all;
}

Json table_json(const PlacesReport& report) {
  if (!report.knows_places) return nullptr;
  Json levels = Json::array();
  for (const model::PlaceLevel& level : report.places.levels) {
    levels.push_back({{"name", level.name}, {"lines", level.lines}});
  }
  Json json{{"by", model::name_of(report.options.grouping)},
            {"line", report.places.line.bytes().value},
            {"levels", std::move(levels)},
            {"rows", rows_json(report)},
            {"other_places", report.other_places}};
  if (report.other_places > 0) json["others"] = counts_json(report, report.others);
  json["total"] = counts_json(report, report.places.total);
  if (report.options.counters) json["counters"] = place_counters_json(report);
  json["notes"] = report.places.notes;
  return json;
}

/// By level.
Json mpki_json(const PlacesReport& report) {
  if (!report.prediction || !per_thousand_instructions(report.summary, 0)) return nullptr;
  Json json = Json::object();
  for (const LevelOutcome& level : report.prediction->outcome.levels)
    json[level.name] = *per_thousand_instructions(report.summary, level.total().misses);
  return json;
}

}  // namespace

Json places_json(const PlacesReport& report) {
  Json ratios = Json::object();
  for (const model::Ratio& r : report.ratios) ratios[r.key] = r.value;
  Json json{{"schema", "cachescape.report"}, {"version", places_schema_version}, {"profile", report.summary.path}};
  json["summary"] = summary_json(report.summary);
  json["counters"] = Json(report.counters);
  json["ratios"] = std::move(ratios);
  json["machine"] = machine_json(report.machine);
  json["machine_reason"] = text_or_null(report.machine_reason);
  json["prediction"] = report.prediction ? prediction_json(*report.prediction, report.machine) : Json(nullptr);
  json["misses_per_thousand_instructions"] = mpki_json(report);
  if (!report.prediction) json["why_no_prediction"] = report.why_no_prediction.what;
  json["places"] = table_json(report);
  return json;
}

}  // namespace cachescape::report
