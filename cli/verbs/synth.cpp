// `cachescape synth`: a seed that behaves like a signature's workload.
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "bytes/sink.hpp"
#include "cli/count_text.hpp"
#include "cli/exit_code.hpp"
#include "cli/output.hpp"
#include "cli/percentage.hpp"
#include "cli/progress.hpp"
#include "cli/signature_input.hpp"
#include "cli/verb.hpp"
#include "product/synth/fit_report.hpp"
#include "product/synth/seed_file.hpp"
#include "product/synth/synthesize.hpp"

namespace cachescape::cli {
namespace {

struct SynthOptions {
  std::vector<std::string> inputs;
  std::string output;
  synth::SynthesisOptions synthesis;
  std::string length;
  double tolerance = 0.5;
  bool json = false;
};

Result<synth::Synthesis> with_progress(const std::vector<signature::Signature>& signatures,
                                       synth::SynthesisOptions& options) {
  Progress progress("making references");
  options.progress = [&](std::string_view stage, double done) { progress.update(stage, done); };
  return synth::synthesize(signatures, options);
}

Result<int> run(SynthOptions& options) {
  if (options.json && options.output == "-") {
    return failure(ErrorKind::usage, "the seed and the JSON would both go to standard output", "--json",
                   "write the seed to a file");
  }
  std::vector<signature::Signature> signatures;
  for (const std::string& path : options.inputs) {
    CACHESCAPE_CHECK(check_output(options.output, path));
    CACHESCAPE_TRY(const auto read, read_signatures(path));
    signatures.insert(signatures.end(), read.begin(), read.end());
  }
  if (!options.length.empty()) {
    CACHESCAPE_TRY(options.synthesis.length, parse_count(options.length, "--length"));
  }
  options.synthesis.tolerance = options.tolerance / 100;
  CACHESCAPE_TRY(const synth::Synthesis synthesis, with_progress(signatures, options.synthesis));
  CACHESCAPE_TRY(const auto sink, bytes::open_sink(options.output));
  CACHESCAPE_CHECK(synth::write_seed(synthesis.seed, *sink));
  if (options.json) {
    CACHESCAPE_CHECK(print_json(synth::fit_json(synthesis)));
  } else if (options.output != "-") {
    CACHESCAPE_CHECK(print_text(synth::fit_text(synthesis)));
  }
  return exit_success;
}

}  // namespace

void add_synth(Program& program) {
  CLI::App& verb = program.add_verb("synth", "Make a seed: a short synthetic trace that behaves like a workload");
  auto options = std::make_shared<SynthOptions>();
  verb.add_option("SIGNATURE", options->inputs,
                  "Signatures, or profiles recorded with --signature; several are phases one after the other")
      ->required();
  verb.add_option("-o,--output", options->output, "The .seed to write")->required()->type_name("FILE");
  verb.add_flag("--unique", options->synthesis.unique, "Refer to no word twice, as the benchmark needs it");
  verb.add_option("--length", options->length, "References of each phase; otherwise as many as its working set needs")
      ->type_name("N");
  verb.add_option("--seed", options->synthesis.random_seed, "Where random numbers begin")
      ->type_name("N")
      ->capture_default_str();
  percentage(
      verb.add_option("--tolerance", options->tolerance, "Mean error of hit rates at which no further attempt is made"))
      ->capture_default_str();
  verb.add_option("--rounds", options->synthesis.rounds, "Attempts at most to correct what was missed")
      ->type_name("N")
      ->check(CLI::Range(1u, 100u))
      ->capture_default_str();
  verb.add_flag("--json", options->json, "Print JSON");
  set_examples(verb, {{"cachescape synth app.sig -o app.seed", "From a signature that somebody sent"},
                      {"cachescape synth app.cscape --unique -o app.seed && cachescape bench app.seed",
                       "A benchmark that behaves like the program"}});
  program.on(verb, [options] { return run(*options); });
}

}  // namespace cachescape::cli
