// How verbs write: results to standard output or a file, with every failure reported.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "cachescape/result.hpp"

namespace cachescape::cli {

/// Refuses an output that is the input itself: writing would destroy what is read, or what it was made from.
Result<void> check_output(const std::string& output, const std::string& input, const std::string& option = "-o");
/// Writes `text` to a file ("-" = standard output).
Result<void> write_file(const std::string& path, const std::string& text);
/// JSON, indented, with a final newline. Text that is not UTF-8 is replaced, never an error.
std::string json_text(const nlohmann::ordered_json& json);

/// To standard output.
Result<void> print_text(const std::string& text);
Result<void> print_json(const nlohmann::ordered_json& json);

}  // namespace cachescape::cli
