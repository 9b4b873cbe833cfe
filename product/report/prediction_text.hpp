// A prediction for people.
#pragma once

#include <string>

#include "machine/machine.hpp"
#include "model/predict.hpp"
#include "product/report/outcome_text.hpp"

namespace cachescape::report {

/// "exact", "approximate" or "SDCM": how far to trust a level's numbers.
const char* method_name(const model::LevelPrediction& level);

/// "exact", "modelled" or "unknown": the same for its write-backs and bytes out.
const char* write_back_word(const model::LevelPrediction& level);

/// The outcome's tables, then by level the method, the confidence interval where the profile was sampled and why the
/// numbers are not exact; the average access time where it is known; warnings, a line each.
std::string prediction_text(const model::Prediction& prediction, const machine::Machine& machine,
                            OutcomeTextOptions options);

}  // namespace cachescape::report
