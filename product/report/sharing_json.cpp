#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "product/report/csv.hpp"
#include "product/report/sharing_report.hpp"

namespace cachescape::report {
namespace {

using Json = nlohmann::ordered_json;

void put_misses(Json& json, const SharingCounts& misses) {
  json["false_sharing"] = misses[falsely];
  json["true_sharing"] = misses[truly];
}

Json place_json(const model::Group& line, const model::Group& function, const std::string& variable) {
  const auto text_or_null = [](const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); };
  Json json{{"file", text_or_null(line.file)}};
  json["line"] = line.file.empty() ? Json(nullptr) : Json(line.line);
  json["function"] = text_or_null(function.name);
  json["variable"] = text_or_null(variable);
  return json;
}

Json line_json(const model::SharedLineRow& line) {
  Json json{{"address", line.address.value}};
  put_misses(json, line.misses);
  Json& uses = json["uses"] = Json::array();
  for (const model::ThreadUse& use : line.uses) {
    Json u{{"thread", use.thread},
           {"reads", use.reads},
           {"writes", use.writes},
           {"first_byte", use.first_byte},
           {"last_byte", use.last_byte}};
    u.update(place_json(use.line, use.function, use.variable));
    uses.push_back(std::move(u));
  }
  json["padding"] = nullptr;
  if (line.padding)
    json["padding"] = {
        {"part", line.padding->part}, {"bytes", line.padding->bytes}, {"straddles", line.padding->straddles}};
  return json;
}

Json object_json(const model::SharedObjectRow& row) {
  Json json{{"name", row.object.name.empty() ? Json(nullptr) : Json(row.object.name)},
            {"kind", model::name_of(row.object.kind)},
            {"file", row.object.file.empty() ? Json(nullptr) : Json(row.object.file)},
            {"line", row.object.file.empty() ? Json(nullptr) : Json(row.object.line)}};
  put_misses(json, row.misses);
  Json& pairs = json["pairs"] = Json::array();
  for (const model::SharingPlaces& p : row.places) {
    Json pair{{"misses", place_json(p.line, p.function, p.variable)},
              {"taken_by", place_json(p.writer_line, p.writer_function, p.writer_variable)}};
    put_misses(pair, p.misses);
    pairs.push_back(std::move(pair));
  }
  Json& lines = json["lines"] = Json::array();
  for (const model::SharedLineRow& line : row.lines) lines.push_back(line_json(line));
  return json;
}

}  // namespace

Json sharing_json(const SharingReport& report) {
  Json json{{"schema", "cachescape.sharing"}, {"version", sharing_schema_version}, {"profile", report.summary.path}};
  json["summary"] = summary_json(report.summary);
  if (!report.table) {
    json["sharing"] = nullptr;
    return json;
  }
  Json& sharing = json["sharing"];
  sharing["line"] = report.table->line.bytes().value;
  sharing["touches"] = report.table->touches;
  put_misses(sharing, report.table->misses);
  Json& objects = sharing["objects"] = Json::array();
  const std::size_t shown =
      report.top == 0 ? report.table->rows.size() : std::min(report.top, report.table->rows.size());
  for (std::size_t i = 0; i < shown; ++i) objects.push_back(object_json(report.table->rows[i]));
  sharing["other_objects"] = report.table->rows.size() - shown;
  return json;
}

std::string sharing_csv(const SharingReport& report) {
  std::string out =
      "object,file,line,function,variable,writer_file,writer_line,writer_function,writer_variable,"
      "false_sharing,true_sharing\r\n";
  if (!report.table) return out;
  for (const model::SharedObjectRow& row : report.table->rows) {
    for (const model::SharingPlaces& p : row.places) {
      fmt::format_to(std::back_inserter(out), "{},{},{},{},{},{},{},{},{},{},{}\r\n", csv_field(row.object.name),
                     csv_field(p.line.file), p.line.line, csv_field(p.function.name), csv_field(p.variable),
                     csv_field(p.writer_line.file), p.writer_line.line, csv_field(p.writer_function.name),
                     csv_field(p.writer_variable), p.misses[falsely], p.misses[truly]);
    }
  }
  return out;
}

}  // namespace cachescape::report
