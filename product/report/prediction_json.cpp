#include "product/report/prediction_json.hpp"

#include <algorithm>

#include "product/report/outcome_json.hpp"
#include "product/report/prediction_text.hpp"

namespace cachescape::report {
namespace {

using Json = nlohmann::ordered_json;

const char* model_word(const model::LevelPrediction& level) {
  if (level.method == model::Method::sdcm) return "sdcm";
  return level.exact() ? "exact" : "approximate";
}

}  // namespace

Json prediction_json(const model::Prediction& prediction, const machine::Machine& machine) {
  Json json = outcome_json(prediction.outcome, machine, "prediction");
  for (std::size_t i = 0; i < prediction.levels.size(); ++i) {
    const model::LevelPrediction& from = prediction.levels[i];
    Json& level = json["levels"][i];
    level["model"] = model_word(from);
    level["why_not_exact"] = from.why_not_exact;
    level["coherent"] = from.coherent;
    level["write_back_model"] = write_back_word(from);
    level["write_back_note"] = from.write_back_note;
    if (from.confidence) {
      level["confidence"] = {{"level", 0.95}, {"misses", {from.confidence->low, from.confidence->high}}};
    }
  }
  json["amat_cycles"] = prediction.amat_cycles ? Json(*prediction.amat_cycles) : Json(nullptr);
  const bool coherent = std::ranges::any_of(prediction.levels, &model::LevelPrediction::coherent);
  json["not_modelled"] = coherent ? Json::array() : Json{"upgrades", "invalidations", "remote_hits"};
  json["warnings"] = prediction.warnings;
  return json;
}

}  // namespace cachescape::report
