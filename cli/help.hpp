// The help text, and what is said when a command line makes no sense.
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "cachescape/result.hpp"

namespace cachescape::cli {

class HelpFormatter : public CLI::FormatterBase {
 public:
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override;
};

/// The parser's complaint as one of ours: which flag, and where to look. `arguments` is the command line.
Error parse_error(const CLI::App& app, const CLI::ParseError& error, const std::vector<std::string>& arguments);

}  // namespace cachescape::cli
