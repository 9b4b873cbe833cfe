// What the parser knows of a verb, as values: help, manual page and completions are three ways to print it.
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace cachescape::cli {

struct OptionDescription {
  std::vector<std::string> flags;  ///< "-o", "--output"; empty for a positional
  std::string value;               ///< "FILE", "din|lackey|csv", or empty for a switch
  std::string text;
  std::string default_text;  ///< empty where there is none worth telling
  bool required = false;
  bool repeated = false;

  bool positional() const { return flags.empty(); }
  /// The words of a value such as "din|lackey|csv"; empty for placeholders.
  std::vector<std::string> choices() const;
};

struct VerbDescription {
  std::string path;  ///< "cachescape trace head"
  std::string name;  ///< "head"
  std::string text;
  std::vector<OptionDescription> options;  ///< positionals first
  std::vector<VerbDescription> verbs;
  std::string examples;  ///< as set_examples() laid them out, without its title
};

VerbDescription describe(const CLI::App& app);

/// "cachescape trace head [options] TRACE".
std::string synopsis(const VerbDescription& verb);

}  // namespace cachescape::cli
