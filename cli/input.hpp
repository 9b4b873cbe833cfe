// How verbs read traces: our own or foreign, from a file or standard input.
#pragma once

#include <memory>
#include <string>

#include <CLI/CLI.hpp>

#include "cachescape/source.hpp"
#include "trace/reader.hpp"

namespace cachescape::cli {

struct InputOptions {
  std::string path;
  std::string format;
  std::string columns;
  bool lenient = false;
  bool fetches_as_reads = false;
};

/// Adds TRACE and the options that say how it is read.
void add_input(CLI::App& verb, InputOptions& options);
/// The same without TRACE, for verbs that take several.
void add_input_flags(CLI::App& verb, InputOptions& options);

/// An opened trace. `trace` is the same object as `source` where the input is a .cstrace, else nullptr.
struct OpenedInput {
  std::unique_ptr<AccessSource> source;
  trace::TraceReader* trace = nullptr;
};

Result<OpenedInput> open_input(const InputOptions& options);

/// Tells on standard error what an input skipped or lost; silent where nothing.
void report_losses(const OpenedInput& input, const std::string& name);

}  // namespace cachescape::cli
