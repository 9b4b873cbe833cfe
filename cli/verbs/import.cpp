// `cachescape import`: a foreign trace becomes ours.
#include <memory>
#include <string>

#include <fmt/format.h>

#include "bytes/sink.hpp"
#include "cli/exit_code.hpp"
#include "cli/input.hpp"
#include "cli/progress.hpp"
#include "cli/trace_output.hpp"
#include "cli/verb.hpp"
#include "product/report/number_text.hpp"

namespace cachescape::cli {
namespace {

struct ImportOptions {
  InputOptions input;
  TraceOutputOptions output;
};

Result<int> run(const ImportOptions& options) {
  CACHESCAPE_TRY(const OpenedInput input, open_input(options.input));
  CACHESCAPE_TRY(const auto output, create_trace(options.output, options.input.path, input));
  CACHESCAPE_CHECK(copy_accesses(*input.source, *output, "importing"));
  CACHESCAPE_CHECK(finish_trace(*output, input));
  report_losses(input, options.input.path);
  const std::uint64_t accesses = output->accesses();
  const double each = accesses == 0 ? 0 : static_cast<double>(output->bytes_written()) / static_cast<double>(accesses);
  note(fmt::format("{}: {}, {} ({:.2f} bytes each)", options.output.path, report::counted(accesses, "access"),
                   report::bytes_text(output->bytes_written()), each));
  return exit_success;
}

}  // namespace

void add_import(Program& program) {
  CLI::App& verb = program.add_verb("import", "Read a trace that another tool made and keep it as a .cstrace");
  auto options = std::make_shared<ImportOptions>();
  add_input(verb, options->input);
  add_trace_output(verb, options->output);
  set_examples(
      verb, {{"valgrind --tool=lackey --trace-mem=yes ls 2>&1 | cachescape import - -o ls.cstrace",
              "What ls touches, through a pipe"},
             {"cachescape import old.din.xz -o old.cstrace", "A compressed DineroIV trace; the format is recognised"},
             {"cachescape import pin.out --format pinatrace --lenient -o pin.cstrace",
              "Skip broken lines and say how many"}});
  program.on(verb, [options] { return run(*options); });
}

}  // namespace cachescape::cli
