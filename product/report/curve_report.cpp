#include "product/report/curve_report.hpp"

#include <iterator>

#include <fmt/format.h>

#include "machine/size_text.hpp"
#include "product/report/number_text.hpp"
#include "product/report/table.hpp"

namespace cachescape::report {

using Json = nlohmann::ordered_json;
using model::CurvePoint;

std::string curve_table(std::span<const CurvePoint> points, LineSize line) {
  Table table({{"size"}, {"lines"}, {"misses"}, {"miss ratio"}});
  for (const CurvePoint& p : points) {
    table.add({bytes_text(p.lines * line.bytes().value), with_thousands(p.lines), with_thousands(p.misses),
               fmt::format("{:.2f} %", 100 * p.ratio)});
  }
  return table.text();
}

std::string curve_csv(std::span<const CurvePoint> points, LineSize line) {
  const std::uint64_t bytes = line.bytes().value;
  std::string out = "line,lines,size,misses,miss_ratio\r\n";
  for (const CurvePoint& p : points) {
    fmt::format_to(std::back_inserter(out), "{},{},{},{},{}\r\n", bytes, p.lines, p.lines * bytes, p.misses, p.ratio);
  }
  return out;
}

Json curve_json(std::span<const CurvePoint> points, LineSize line) {
  const std::uint64_t bytes = line.bytes().value;
  Json array = Json::array();
  for (const CurvePoint& p : points) {
    array.push_back({{"lines", p.lines}, {"size", p.lines * bytes}, {"misses", p.misses}, {"miss_ratio", p.ratio}});
  }
  return {{"schema", "cachescape.working_set"},
          {"version", curve_schema_version},
          {"line", bytes},
          {"points", std::move(array)}};
}

std::string curve_chart(std::span<const CurvePoint> points, LineSize line, ChartOptions options) {
  Series series;
  series.name = fmt::format("{}-byte lines", line.bytes().value);
  for (const CurvePoint& p : points) {
    if (p.lines == 0) continue;
    series.x.push_back(static_cast<double>(p.lines * line.bytes().value));
    series.y.push_back(p.ratio);
  }
  options.steps = true;
  const auto label = [](double size) { return machine::print_size_tersely(Bytes{static_cast<std::uint64_t>(size)}); };
  return fmt::format("miss ratio by size of a fully associative LRU cache, {}\n", series.name) +
         chart({series}, label, options);
}

}  // namespace cachescape::report
