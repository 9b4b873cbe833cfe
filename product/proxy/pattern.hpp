// Patterns that everybody knows, as seeds: signatures written by hand (Weinberg, section 6.3).
#pragma once

#include <string_view>

#include "cachescape/result.hpp"
#include "product/synth/seed.hpp"

namespace cachescape::proxy {

/// "stride": word after word; "random": any word. The files are in signatures/.
bool is_pattern(std::string_view name);

/// Made from its signature anew; always the same. Precondition: is_pattern(name).
Result<synth::Seed> pattern_seed(std::string_view name);

}  // namespace cachescape::proxy
