// What a seed is like, and how near it came to what was asked for.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "product/synth/synthesize.hpp"

namespace cachescape::synth {

std::string fit_text(const Synthesis& synthesis);
nlohmann::ordered_json fit_json(const Synthesis& synthesis);

}  // namespace cachescape::synth
