#include "product/report/sweep_report.hpp"

#include <vector>

#include <fmt/format.h>

#include "machine/size_text.hpp"
#include "product/report/csv.hpp"
#include "product/report/number_text.hpp"
#include "product/report/table.hpp"

namespace cachescape::report {
namespace {

using Json = nlohmann::ordered_json;
using model::Sweep;

bool is_sdcm(const Sweep& sweep, std::size_t i) { return sweep.method[i] == model::Method::sdcm; }

/// As in a prediction: sure of the method, and of what it is applied to.
const char* model_word(const Sweep& sweep, std::size_t i) {
  if (is_sdcm(sweep, i)) return "sdcm";
  return sweep.streams_known && !sweep.sampled ? "exact" : "approximate";
}

std::string ways_text(std::uint64_t ways) {
  return ways == model::fully_associative ? "full" : fmt::format("{}", ways);
}

std::string series_name(const Sweep& sweep, std::size_t i) {
  const std::uint64_t ways = sweep.ways[i];
  const std::string kind = ways == model::fully_associative ? "fully associative"
                           : ways == 1                      ? "direct mapped"
                                                            : fmt::format("{}-way", ways);
  return fmt::format("{}, {} B", kind, sweep.line[i].bytes().value);
}

}  // namespace

std::string sweep_table(const Sweep& sweep) {
  Table table({{"size"}, {"ways"}, {"sets"}, {"line"}, {"misses"}, {"miss ratio"}, {"model", Table::Align::left}});
  for (std::size_t i = 0; i < sweep.points(); ++i) {
    table.add({bytes_text(sweep.size[i]), ways_text(sweep.ways[i]), with_thousands(sweep.sets[i]),
               fmt::format("{}", sweep.line[i].bytes().value), with_thousands(sweep.misses[i]),
               fmt::format("{:.2f} %", 100 * sweep.ratio[i]), is_sdcm(sweep, i) ? "SDCM" : model_word(sweep, i)});
  }
  std::string out = table.text();
  if (sweep.left_out > 0) {
    out +=
        fmt::format("\n{} left out: the size is no multiple of ways × line.\n", counted(sweep.left_out, "combination"));
  }
  return out;
}

std::string sweep_csv(const Sweep& sweep) {
  std::string out = "level,size,ways,sets,line,misses,miss_ratio,model\r\n";
  const std::string name = csv_field(sweep.name);
  for (std::size_t i = 0; i < sweep.points(); ++i) {
    fmt::format_to(std::back_inserter(out), "{},{},{},{},{},{},{},{}\r\n", name, sweep.size[i],
                   ways_text(sweep.ways[i]), sweep.sets[i], sweep.line[i].bytes().value, sweep.misses[i],
                   sweep.ratio[i], model_word(sweep, i));
  }
  return out;
}

Json sweep_json(const Sweep& sweep) {
  Json points = Json::array();
  for (std::size_t i = 0; i < sweep.points(); ++i) {
    points.push_back({{"size", sweep.size[i]},
                      {"ways", sweep.ways[i] == model::fully_associative ? Json("full") : Json(sweep.ways[i])},
                      {"sets", sweep.sets[i]},
                      {"line", sweep.line[i].bytes().value},
                      {"misses", sweep.misses[i]},
                      {"miss_ratio", sweep.ratio[i]},
                      {"model", model_word(sweep, i)}});
  }
  return {{"schema", "cachescape.sweep"}, {"version", sweep_schema_version}, {"level", sweep.name},
          {"sampled", sweep.sampled},     {"left_out", sweep.left_out},      {"points", std::move(points)}};
}

std::string sweep_chart(const Sweep& sweep, const ChartOptions& options) {
  std::vector<Series> series;
  for (std::size_t i = 0; i < sweep.points(); ++i) {
    const bool same = i > 0 && sweep.ways[i] == sweep.ways[i - 1] && sweep.line[i] == sweep.line[i - 1];
    if (!same) series.push_back({series_name(sweep, i), {}, {}});
    series.back().x.push_back(static_cast<double>(sweep.size[i]));
    series.back().y.push_back(sweep.ratio[i]);
  }
  const auto label = [](double size) { return machine::print_size_tersely(Bytes{static_cast<std::uint64_t>(size)}); };
  return "miss ratio by size\n" + chart(series, label, options);
}

}  // namespace cachescape::report
