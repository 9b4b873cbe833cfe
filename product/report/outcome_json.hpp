// A hierarchy's outcome for programs: the one JSON shape of `simulate` and `predict` (docs/formats/json.md).
#pragma once

#include <nlohmann/json.hpp>

#include "cachescape/outcome.hpp"
#include "machine/machine.hpp"

namespace cachescape::report {

/// Grows only by new keys; a change of meaning raises it.
inline constexpr int outcome_schema_version = 1;

/// `method` says how the numbers came about, such as "simulation".
nlohmann::ordered_json outcome_json(const HierarchyOutcome& outcome, const machine::Machine& machine,
                                    const char* method);
nlohmann::ordered_json machine_json(const machine::Machine& machine);

}  // namespace cachescape::report
