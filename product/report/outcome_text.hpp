// A hierarchy's outcome for people.
#pragma once

#include <string>

#include "cachescape/outcome.hpp"
#include "machine/machine.hpp"

namespace cachescape::report {

struct OutcomeTextOptions {
  bool by_kind = false;  ///< a line each for reads and writes
};

/// Tables of accesses, hits and misses per level, of miss classes, and of traffic; what is zero everywhere is left out.
std::string outcome_text(const HierarchyOutcome& outcome, const machine::Machine& machine, OutcomeTextOptions options);

/// "32 KiB, 8-way, 64-byte lines, shared by 4 cores".
std::string level_text(const machine::Level& level);

}  // namespace cachescape::report
