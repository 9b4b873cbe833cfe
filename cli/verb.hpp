// How a verb joins the program: one file per verb, one function that describes its options and says what to
// run. The same description makes the help, the manual page and the shell completions.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "cachescape/result.hpp"

namespace cachescape::cli {

/// Runs the verb; the value is the exit code.
using Action = std::function<Result<int>()>;

/// What is being built: the parser, and what the chosen verb will run.
class Program {
 public:
  explicit Program(CLI::App& app) : app_(app) {}

  /// Adds a verb to the program, or below another verb.
  CLI::App& add_verb(const std::string& name, const std::string& description);
  static CLI::App& add_verb(CLI::App& below, const std::string& name, const std::string& description);
  /// What to run when `verb` is chosen.
  void on(CLI::App& verb, Action action);

  /// A program to run and its arguments, which stood after "--" and were not looked at.
  void set_command(std::vector<std::string> words) { command_ = std::move(words); }
  const std::vector<std::string>& command() const { return command_; }

  CLI::App& app() { return app_; }
  const Action& chosen() const { return chosen_; }

 private:
  CLI::App& app_;
  Action chosen_;
  std::vector<std::string> command_;
};

/// Examples as (command, what it does), shown under the help and in the manual page.
struct Example {
  std::string command;
  std::string what;
};
void set_examples(CLI::App& verb, const std::vector<Example>& examples);

void add_record(Program& program);
void add_collect(Program& program);
void add_compile(Program& program);
void add_import(Program& program);
void add_info(Program& program);
void add_report(Program& program);
void add_predict(Program& program);
void add_sweep(Program& program);
void add_surface(Program& program);
void add_curves(Program& program);
void add_merge(Program& program);
void add_validate(Program& program);
void add_trace(Program& program);
void add_simulate(Program& program);
void add_signature(Program& program);
void add_synth(Program& program);
void add_expand(Program& program);
void add_bench(Program& program);
void add_machine(Program& program);
void add_completion(Program& program);
void add_man(Program& program);

}  // namespace cachescape::cli
