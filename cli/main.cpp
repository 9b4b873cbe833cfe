// The program: parse, run the chosen verb, report what went wrong.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <iostream>
#include <string_view>

#include <fcntl.h>
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "cli/exit_code.hpp"
#include "cli/file_signals.hpp"
#include "cli/help.hpp"
#include "cli/verb.hpp"
#include "cli/verbs/compile.hpp"
#include "cli/version.hpp"

namespace cachescape::cli {
namespace {

constexpr const char* description =
    "Observe a program's memory accesses once, then know how it behaves on every cache.";

void describe(Program& program) {
  CLI::App& app = program.app();
  app.require_subcommand(1);
  app.set_help_flag("-h,--help", "Show this help and exit");
  app.set_version_flag("--version", std::string("cachescape ") + version);
  app.formatter(std::make_shared<HelpFormatter>());
  add_record(program);
  add_compile(program);
  add_import(program);
  add_info(program);
  add_report(program);
  add_predict(program);
  add_sweep(program);
  add_surface(program);
  add_curves(program);
  add_merge(program);
  add_validate(program);
  add_trace(program);
  add_simulate(program);
  add_signature(program);
  add_synth(program);
  add_expand(program);
  add_bench(program);
  add_machine(program);
  add_completion(program);
  add_man(program);
  add_collect(program);
  set_examples(app, {{"cachescape c++ -O2 -g x.cpp -o x && ./x && cachescape report x.cscape --machine zen4",
                      "Where a program of yours misses, by function"},
                     {"cachescape record -- gzip -k big.txt", "Observe a program as it is, once"},
                     {"cachescape predict gzip.cscape --machine zen4",
                      "Know how it fares in a Zen 4's caches, or any other's"}});
}

void print(const Error& error) {
  const std::string where = error.where.empty() ? "" : error.where + ": ";
  std::fputs(fmt::format("cachescape: {}{}\n", where, error.what).c_str(), stderr);
  if (!error.hint.empty()) std::fputs(fmt::format("  hint: {}\n", error.hint).c_str(), stderr);
}

int run(int argc, char** argv) {
  if (const auto code = compile_if_asked(argc, argv)) return *code;
  CLI::App app(description, "cachescape");
  Program program(app);
  describe(program);
  // The parser would take options of the program that is to run for its own.
  char** const rest = std::find_if(argv, argv + argc, [](const char* word) { return std::string_view(word) == "--"; });
  if (argc > 1 && std::string_view(argv[1]) == "record" && rest != argv + argc) {
    program.set_command({rest + 1, argv + argc});
    argc = static_cast<int>(rest - argv);
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& e) {
    return app.exit(e);
  } catch (const CLI::ParseError& e) {
    print(parse_error(app, e, {argv + 1, argv + argc}));
    return exit_usage;
  }
  const Result<int> code = program.chosen()();
  if (code) return *code;
  print(code.error());
  return exit_code_for(code.error().kind);
}

}  // namespace
}  // namespace cachescape::cli

int main(int argc, char** argv) {
  // A file that took the place of a closed standard stream would get our messages.
  for (int stream = 0; stream <= 2; ++stream) {
    if (fcntl(stream, F_GETFD) < 0 && open("/dev/null", O_RDWR | O_CLOEXEC) < 0)
      return cachescape::cli::exit_unsupported;
  }
  cachescape::cli::ignore_file_signals();
  try {
    return cachescape::cli::run(argc, argv);
  } catch (const std::bad_alloc&) {
    std::fputs("cachescape: out of memory\n", stderr);
  } catch (const std::exception& e) {
    std::fputs((std::string("cachescape: internal error: ") + e.what() + "\n").c_str(), stderr);
  }
  return cachescape::cli::exit_unsupported;
}
