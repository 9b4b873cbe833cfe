#include "product/report/curve_summary_report.hpp"

#include <algorithm>
#include <bit>
#include <iterator>
#include <vector>

#include <fmt/format.h>

#include "product/report/curve_report.hpp"
#include "product/report/number_text.hpp"
#include "product/report/table.hpp"

namespace cachescape::report {
namespace {

using Json = nlohmann::ordered_json;
using model::CurvePoint;
using model::CurveSummary;
using model::Kinds;

const char* kinds_word(Kinds kinds) {
  switch (kinds) {
    case Kinds::loads:
      return "load";
    case Kinds::stores:
      return "store";
    case Kinds::all:
      break;
  }
  return "all";
}

std::string ratio_text(double ratio) { return fmt::format("{:.2f} %", 100 * ratio); }

/// A median lies between two whole numbers at most.
std::string halves_text(double value) {
  const auto whole = static_cast<std::uint64_t>(value);
  return with_thousands(whole) + (value > static_cast<double>(whole) ? ".5" : "");
}

/// The curve at `sizes`, from its changes.
std::vector<CurvePoint> points_at(const CurveSummary& s, const std::vector<std::uint64_t>& sizes) {
  std::vector<CurvePoint> points;
  for (const std::uint64_t lines : sizes) {
    CurvePoint p = *std::prev(std::ranges::upper_bound(s.points, lines, {}, &CurvePoint::lines));
    p.lines = lines;
    points.push_back(p);
  }
  return points;
}

std::string knees_text(const CurveSummary& s) {
  if (s.knees.empty()) return "working sets  none: no size saves much\n";
  Table table({{"working sets", Table::Align::left}, {"lines"}, {"misses"}, {"miss ratio"}, {"half the size"}});
  for (const model::Knee& k : s.knees) {
    table.add({bytes_text(k.at.lines * s.line.bytes().value), with_thousands(k.at.lines), with_thousands(k.at.misses),
               ratio_text(k.at.ratio), ratio_text(k.at.ratio + k.saved)});
  }
  return table.text();
}

std::string distance_text(const CurveSummary& s) {
  if (!s.distance) return "stack distance  none: no line is touched twice\n";
  return fmt::format("stack distance  median {} lines, median absolute deviation {}\n", halves_text(s.distance->median),
                     halves_text(s.distance->deviation));
}

std::string spatial_text(const CurveSummary& s) {
  Table table(
      {{fmt::format("spatial use in {}", bytes_text(s.spatial_size.value)), Table::Align::left}, {"misses"}, {"use"}});
  for (const model::SpatialUse& u : s.spatial) {
    table.add({fmt::format("{}-byte lines", u.line.bytes().value), with_thousands(u.misses),
               u.use ? fmt::format("{:.1f} %", 100 * *u.use) : "–"});
  }
  return table.text();
}

std::string usage_text(const CurveSummary& s) {
  if (s.usage.empty()) return "memory usage  not recorded: import with --memory-usage\n";
  Table table({{"share of all touches"}, {"memory"}, {fmt::format("{}-byte lines", s.usage_line.bytes().value)}});
  for (const model::MemoryUse& u : s.usage) {
    table.add(
        {fmt::format("{} %", u.per_cent), bytes_text(u.lines * s.usage_line.bytes().value), with_thousands(u.lines)});
  }
  return table.text();
}

}  // namespace

std::string curve_summary_text(const CurveSummary& s, const ChartOptions& options) {
  const std::uint64_t last = std::bit_ceil(std::max<std::uint64_t>(s.points.back().lines, 2));
  std::string out = curve_chart(points_at(s, model::spaced_sizes(1, last, 16)), s.line, options);
  out += '\n' + knees_text(s);
  out += '\n' + curve_table(points_at(s, model::spaced_sizes(1, last, 1)), s.line);
  out += '\n' + distance_text(s);
  out += '\n' + spatial_text(s);
  out += '\n' + usage_text(s);
  if (s.sampled) out += "\nNote: the profile is a sample: counts are estimates.\n";
  return out;
}

Json curve_summary_json(const CurveSummary& s) {
  const std::uint64_t line = s.line.bytes().value;
  Json knees = Json::array();
  for (const model::Knee& k : s.knees) {
    knees.push_back({{"lines", k.at.lines},
                     {"size", k.at.lines * line},
                     {"misses", k.at.misses},
                     {"miss_ratio", k.at.ratio},
                     {"miss_ratio_at_half", k.at.ratio + k.saved}});
  }
  Json spatial = Json::array();
  for (const model::SpatialUse& u : s.spatial) {
    spatial.push_back(
        {{"line", u.line.bytes().value}, {"misses", u.misses}, {"use", u.use ? Json(*u.use) : Json(nullptr)}});
  }
  Json usage = nullptr;
  if (!s.usage.empty()) {
    usage = {{"line", s.usage_line.bytes().value}, {"points", Json::array()}};
    for (const model::MemoryUse& u : s.usage) {
      usage["points"].push_back(
          {{"per_cent", u.per_cent}, {"lines", u.lines}, {"size", u.lines * s.usage_line.bytes().value}});
    }
  }
  Json distance = nullptr;
  if (s.distance) distance = {{"median", s.distance->median}, {"mad", s.distance->deviation}};
  return {{"schema", "cachescape.curves"},
          {"version", curve_summary_schema_version},
          {"line", line},
          {"kind", kinds_word(s.kinds)},
          {"touches", s.touches},
          {"cold", s.cold},
          {"sampled", s.sampled},
          {"curve", curve_json(s.points, s.line)["points"]},
          {"knees", std::move(knees)},
          {"distance", std::move(distance)},
          {"spatial_use", {{"size", s.spatial_size.value}, {"lines", std::move(spatial)}}},
          {"memory_usage", std::move(usage)}};
}

}  // namespace cachescape::report
