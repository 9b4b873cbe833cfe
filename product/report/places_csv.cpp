#include "product/report/places_csv.hpp"

#include <iterator>

#include <fmt/format.h>

#include "model/kind_counts.hpp"
#include "product/report/csv.hpp"

namespace cachescape::report {
namespace {

using model::sum;

void add_counters(std::string& out, const std::string& place, const model::Counters& counters) {
  for (const auto& [metric, value] : counters) {
    fmt::format_to(std::back_inserter(out), "{},{},{}\r\n", csv_field(place), csv_field(metric), value);
  }
}

}  // namespace

std::string places_csv(const PlacesReport& report) {
  std::string out = "name,function,file,line,kind,reads,writes,modifies,bytes,touches,cold";
  for (const model::PlaceLevel& level : report.places.levels) out += ',' + csv_field(level.name + "_misses");
  out += "\r\n";
  for (const model::PlaceRow& row : report.places.rows) {
    const model::Group& g = row.group;
    fmt::format_to(std::back_inserter(out), "{},{},{},{},{},{},{},{},{},{},{}", csv_field(g.name),
                   csv_field(g.function), csv_field(g.file), g.file.empty() ? "" : fmt::format("{}", g.line),
                   g.kind == Object::Kind::unknown ? "" : model::name_of(g.kind), row.accesses[0], row.accesses[1],
                   row.accesses[2], row.bytes, sum(row.touches), sum(row.cold));
    for (const KindCounts& misses : row.misses) out += fmt::format(",{}", sum(misses));
    out += "\r\n";
  }
  return out;
}

std::string counters_csv(const PlacesReport& report) {
  std::string out = "place,metric,value\r\n";
  add_counters(out, "", report.counters);
  for (const model::GroupCounters& place : report.place_counters) {
    add_counters(out, label_of(place.group), place.counters);
  }
  return out;
}

}  // namespace cachescape::report
