#include <fmt/format.h>

#include "cli/verb.hpp"

namespace cachescape::cli {

CLI::App& Program::add_verb(CLI::App& below, const std::string& name, const std::string& description) {
  CLI::App* verb = below.add_subcommand(name, description);
  verb->set_help_flag("-h,--help", "Show this help and exit");
  return *verb;
}

CLI::App& Program::add_verb(const std::string& name, const std::string& description) {
  return add_verb(app_, name, description);
}

void Program::on(CLI::App& verb, Action action) {
  verb.callback([this, action = std::move(action)] { chosen_ = action; });
}

void set_examples(CLI::App& verb, const std::vector<Example>& examples) {
  std::string text = "Examples:\n";
  for (const Example& e : examples) text += fmt::format("  {}\n      {}\n", e.command, e.what);
  text.pop_back();
  verb.footer(text);
}

}  // namespace cachescape::cli
