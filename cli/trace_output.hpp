// How verbs write .cstrace files.
#pragma once

#include <memory>
#include <string>

#include <CLI/CLI.hpp>

#include "cli/input.hpp"
#include "trace/writer.hpp"

namespace cachescape::cli {

struct TraceOutputOptions {
  std::string path;
  int level = 3;
};

/// Adds -o and --level.
void add_trace_output(CLI::App& verb, TraceOutputOptions& options);

/// Creates the trace; facts about `input`, read from `input_path`, are carried over.
Result<std::unique_ptr<trace::TraceWriter>> create_trace(const TraceOutputOptions& options,
                                                         const std::string& input_path, const OpenedInput& input);

/// Copies all accesses, showing progress as `doing`. Where reading fails, what was read is written and the trace is
/// finished, so that nothing is lost, before the error is returned.
Result<void> copy_accesses(AccessSource& source, trace::TraceWriter& writer, const char* doing);

/// Ends the trace with the counts of its input.
Result<void> finish_trace(trace::TraceWriter& writer, const OpenedInput& input);

}  // namespace cachescape::cli
