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
  columns.push_back({"write-backs", Align::left});
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
    cells.push_back(write_back_word(level));
    std::string reasons;
    for (const std::string& reason : level.why_not_exact) reasons += (reasons.empty() ? "" : "; ") + reason;
    cells.push_back(level.exact() ? "the profile holds the distances of this geometry" : std::move(reasons));
    table.add(std::move(cells));
  }
  return table.text();
}

/// What is not exact of bytes out and write-backs, level by level.
std::string write_back_notes(const model::Prediction& prediction) {
  std::string notes;
  for (std::size_t i = 0; i < prediction.levels.size(); ++i) {
    const model::LevelPrediction& level = prediction.levels[i];
    const std::string& name = prediction.outcome.levels[i].name;
    if (level.write_backs == model::WriteBackMethod::unknown) {
      notes += fmt::format("Note: {}'s write-backs and bytes out are not known and shown as 0: {}.\n", name,
                           level.write_back_note);
    } else if (level.write_backs == model::WriteBackMethod::modelled) {
      notes += fmt::format("Note: {}'s write-backs and bytes out are modelled: {}.\n", name, level.write_back_note);
    }
  }
  return notes;
}

}  // namespace

const char* write_back_word(const model::LevelPrediction& level) {
  switch (level.write_backs) {
    case model::WriteBackMethod::exact:
      return "exact";
    case model::WriteBackMethod::modelled:
      return "modelled";
    case model::WriteBackMethod::unknown:
      break;
  }
  return "unknown";
}

const char* method_name(const model::LevelPrediction& level) {
  if (level.method == model::Method::sdcm) return "SDCM";
  return level.exact() ? "exact" : "approximate";
}

std::string prediction_text(const model::Prediction& prediction, const machine::Machine& machine,
                            OutcomeTextOptions options) {
  std::string out = outcome_text(prediction.outcome, machine, options);
  out += '\n' + methods_table(prediction);
  if (prediction.amat_cycles) out += fmt::format("\naverage access time  {:.2f} cycles\n", *prediction.amat_cycles);
  const std::string notes = write_back_notes(prediction);
  if (!notes.empty() || !prediction.warnings.empty()) out += '\n' + notes;
  for (const std::string& warning : prediction.warnings) out += fmt::format("Warning: {}.\n", warning);
  return out;
}

}  // namespace cachescape::report
