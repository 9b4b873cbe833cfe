// A prediction for programs.
#pragma once

#include <nlohmann/json.hpp>

#include "machine/machine.hpp"
#include "model/predict.hpp"

namespace cachescape::report {

/// outcome_json with method "prediction", and besides: per level "model" ("exact", "approximate" or "sdcm"),
/// "why_not_exact", "write_back_model" ("exact", "modelled" or "unknown"), "write_back_note" and, where the profile was
/// sampled, "confidence" {"level": 0.95, "misses": [low, high]}; "amat_cycles" (null where a latency is unknown);
/// "not_modelled", the names of the counters that are 0 because no profile tells them; "warnings".
nlohmann::ordered_json prediction_json(const model::Prediction& prediction, const machine::Machine& machine);

}  // namespace cachescape::report
