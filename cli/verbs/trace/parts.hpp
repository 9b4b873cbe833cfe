// The verbs below `cachescape trace`, one file each.
#pragma once

#include "cli/verb.hpp"

namespace cachescape::cli {

void add_trace_info(Program& program, CLI::App& trace);
void add_trace_head(Program& program, CLI::App& trace);
void add_trace_cat(Program& program, CLI::App& trace);
void add_trace_filter(Program& program, CLI::App& trace);
void add_trace_convert(Program& program, CLI::App& trace);
void add_trace_split(Program& program, CLI::App& trace);
void add_trace_merge(Program& program, CLI::App& trace);

}  // namespace cachescape::cli
