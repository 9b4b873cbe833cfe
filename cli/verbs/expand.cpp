// `cachescape expand`: a seed becomes a trace of any length and footprint.
#include <memory>
#include <string>

#include <fmt/format.h>

#include "bytes/sink.hpp"
#include "cli/count_text.hpp"
#include "cli/exit_code.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/text_output.hpp"
#include "cli/trace_output.hpp"
#include "cli/verb.hpp"
#include "cli/version.hpp"
#include "machine/size_text.hpp"
#include "product/report/number_text.hpp"
#include "product/synth/expansion.hpp"
#include "product/synth/seed_file.hpp"
#include "product/synth/write_expansion.hpp"

namespace cachescape::cli {
namespace {

struct ExpandOptions {
  std::string seed;
  TraceOutputOptions output;
  std::string to;
  std::string footprint;
  std::string length;
};

Result<synth::ExpansionOptions> expansion_options(const ExpandOptions& options) {
  synth::ExpansionOptions expansion;
  if (!options.footprint.empty()) {
    auto size = machine::parse_size(options.footprint);
    if (!size) {
      size.error().where = "--footprint";
      return std::unexpected(std::move(size).error());
    }
    expansion.footprint = size->value;
  }
  if (!options.length.empty()) {
    CACHESCAPE_TRY(expansion.length, parse_count(options.length, "--length"));
  }
  return expansion;
}

Result<void> write_trace(synth::Expansion& expansion, const ExpandOptions& options) {
  CACHESCAPE_TRY(auto sink, bytes::open_sink(options.output.path));
  trace::WriterOptions writer_options;
  writer_options.zstd_level = options.output.level;
  CACHESCAPE_TRY(const auto writer,
                 trace::TraceWriter::create(
                     std::move(sink), {{"source", options.seed}, {"written_by", std::string("cachescape ") + version}},
                     writer_options));
  {
    Progress progress("expanding");
    CACHESCAPE_CHECK(
        synth::write_expansion(expansion, *writer, [&](const AccessSource& source) { progress.update(source); }));
  }
  return writer->finish();
}

Result<int> run(const ExpandOptions& options) {
  CACHESCAPE_CHECK(check_output(options.output.path, options.seed));
  CACHESCAPE_TRY(const synth::Seed seed, synth::read_seed(options.seed));
  CACHESCAPE_TRY(const synth::ExpansionOptions wanted, expansion_options(options));
  CACHESCAPE_TRY(const synth::ExpansionPlan plan, synth::plan(seed, wanted));
  synth::Expansion expansion(seed, plan, wanted.base);
  const exporting::TextFormat* format =
      options.to.empty() ? format_named_by(options.output.path) : exporting::find_text_format(options.to);
  if (format != nullptr) {
    CACHESCAPE_CHECK(write_text(expansion, *format, options.output.path));
  } else {
    CACHESCAPE_CHECK(write_trace(expansion, options));
  }
  const char* shorter = plan.length < plan.round ? ", of which the beginning was made" : "";
  note(fmt::format("{}: {} on {}: {} of the seed{}",
                   options.output.path == "-" ? "standard output" : options.output.path,
                   report::counted(plan.length, "access"), report::bytes_text(plan.footprint),
                   report::counted(plan.replications, "replication"), shorter));
  return exit_success;
}

}  // namespace

void add_expand(Program& program) {
  CLI::App& verb = program.add_verb("expand", "Make a trace of any length and footprint from a seed");
  auto options = std::make_shared<ExpandOptions>();
  verb.add_option("SEED", options->seed, "A .seed that synth made")->required();
  add_trace_output(verb, options->output);
  verb.get_option("--output")->description("The trace to write; - is standard output");
  verb.add_option("--to", options->to, "The format to write; told from the output's name otherwise, else cstrace")
      ->type_name("cstrace|" + text_format_names())
      ->check(CLI::IsMember(CLI::detail::split("cstrace|" + text_format_names(), '|')));
  verb.add_option("--footprint", options->footprint,
                  "Memory that it uses, rounded up to whole replications; as little as possible otherwise")
      ->type_name("SIZE");
  verb.add_option("--length", options->length, "Accesses that it makes; otherwise each replication once")
      ->type_name("N");
  set_examples(verb, {{"cachescape expand app.seed --length 100M -o - | cachescape simulate - --machine zen4",
                       "How the workload fares on a machine, access by access"},
                      {"cachescape expand app.seed --footprint 1G --length 10G -o app.cstrace", "A long trace"},
                      {"cachescape expand app.seed -o app.din", "For another simulator"}});
  program.on(verb, [options] { return run(*options); });
}

}  // namespace cachescape::cli
