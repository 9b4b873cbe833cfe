// `cachescape trace cat` and `convert`: a trace as another format.
#include <memory>
#include <string>

#include <fmt/format.h>

#include "cli/exit_code.hpp"
#include "cli/input.hpp"
#include "cli/text_output.hpp"
#include "cli/trace_output.hpp"
#include "cli/verbs/trace/parts.hpp"
#include "product/export/trace_text.hpp"

namespace cachescape::cli {
namespace {

struct CatOptions {
  InputOptions input;
  std::string to;
};

struct ConvertOptions {
  InputOptions input;
  TraceOutputOptions output;
  std::string to;
};

Result<void> write_text(const InputOptions& input_options, const exporting::TextFormat& format,
                        const std::string& path) {
  CACHESCAPE_TRY(const OpenedInput input, open_input(input_options));
  CACHESCAPE_CHECK(cli::write_text(*input.source, format, path));
  report_losses(input, input_options.path);
  return {};
}

Result<int> convert(const ConvertOptions& options) {
  const std::string& path = options.output.path;
  std::string to = options.to;
  if (const exporting::TextFormat* named = format_named_by(path); to.empty() && named != nullptr) to = named->name;
  if (to.empty() && path.ends_with(".cstrace")) to = "cstrace";
  if (to == "cstrace") {
    CACHESCAPE_TRY(const OpenedInput input, open_input(options.input));
    CACHESCAPE_TRY(const auto output, create_trace(options.output, options.input.path, input));
    CACHESCAPE_CHECK(copy_accesses(*input.source, *output, "converting"));
    CACHESCAPE_CHECK(finish_trace(*output, input));
    report_losses(input, options.input.path);
    return exit_success;
  }
  const exporting::TextFormat* format = exporting::find_text_format(to);
  if (format == nullptr) {
    return failure(ErrorKind::usage, "the output's format is not clear from its name", "-o " + path,
                   fmt::format("name it with --to cstrace|{}", text_format_names()));
  }
  CACHESCAPE_CHECK(write_text(options.input, *format, path));
  return exit_success;
}

}  // namespace

void add_trace_cat(Program& program, CLI::App& trace) {
  CLI::App& verb = Program::add_verb(trace, "cat", "Print a trace as text that other tools read");
  auto options = std::make_shared<CatOptions>();
  add_input(verb, options->input);
  verb.add_option("--to", options->to, "The format to print")
      ->required()
      ->type_name(text_format_names())
      ->check(CLI::IsMember(CLI::detail::split(text_format_names(), '|')));
  set_examples(verb, {{"cachescape trace cat app.cstrace --to din | dineroIV -l1-dsize 32k -l1-dbsize 64",
                       "Feed another simulator"},
                      {"cachescape trace cat app.cstrace --to csv | head", "Everything we know of each access"}});
  program.on(verb, [options]() -> Result<int> {
    CACHESCAPE_CHECK(write_text(options->input, *exporting::find_text_format(options->to), "-"));
    return exit_success;
  });
}

void add_trace_convert(Program& program, CLI::App& trace) {
  CLI::App& verb = Program::add_verb(trace, "convert", "Write a trace in another format");
  auto options = std::make_shared<ConvertOptions>();
  add_input(verb, options->input);
  add_trace_output(verb, options->output);
  const std::string names = "cstrace|" + text_format_names();
  verb.add_option("--to", options->to, "The format to write; told from the output's name otherwise")
      ->type_name(names)
      ->check(CLI::IsMember(CLI::detail::split(names, '|')));
  set_examples(verb, {{"cachescape trace convert app.cstrace -o app.csv", "By the output's name"},
                      {"cachescape trace convert app.cstrace -o small.cstrace --level 19", "Squeeze harder"}});
  program.on(verb, [options] { return convert(*options); });
}

}  // namespace cachescape::cli
