#include "product/report/prediction_text.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "product/report/number_text.hpp"
#include "product/report/table.hpp"

namespace cachescape::report {
namespace {

using Align = Table::Align;

std::string methods_table(const model::Prediction& prediction) {
  const bool sampled = std::ranges::any_of(prediction.levels, [](const auto& l) { return l.confidence.has_value(); });
  std::vector<Table::Column> columns{{"model", Align::left}, {"method", Align::left}};
  if (sampled) columns.push_back({"95 % of misses between", Align::left});
  columns.push_back({"because", Align::left});
  Table table(std::move(columns));
  for (std::size_t i = 0; i < prediction.levels.size(); ++i) {
    const model::LevelPrediction& level = prediction.levels[i];
    std::vector<std::string> cells{prediction.outcome.levels[i].name, method_name(level)};
    if (sampled) {
      cells.push_back(level.confidence ? fmt::format("{} and {}", with_thousands(level.confidence->low),
                                                     with_thousands(level.confidence->high))
                                       : "");
    }
    std::string reasons;
    for (const std::string& reason : level.why_not_exact) reasons += (reasons.empty() ? "" : "; ") + reason;
    cells.push_back(level.exact() ? "the profile holds the distances of this geometry" : std::move(reasons));
    table.add(std::move(cells));
  }
  return table.text();
}

}  // namespace

const char* method_name(const model::LevelPrediction& level) {
  if (level.method == model::Method::sdcm) return "SDCM";
  return level.exact() ? "exact" : "approximate";
}

std::string prediction_text(const model::Prediction& prediction, const machine::Machine& machine,
                            OutcomeTextOptions options) {
  std::string out = outcome_text(prediction.outcome, machine, options);
  out += '\n' + methods_table(prediction);
  if (prediction.amat_cycles) out += fmt::format("\naverage access time  {:.2f} cycles\n", *prediction.amat_cycles);
  out += "\nNote: a profile does not tell write-backs: they and the bytes out are shown as 0.\n";
  for (const std::string& warning : prediction.warnings) out += fmt::format("Warning: {}.\n", warning);
  return out;
}

}  // namespace cachescape::report
