// `cachescape import`: a trace becomes a profile, or a foreign trace becomes ours.
#include <memory>
#include <string>

#include <fmt/format.h>
#include <unistd.h>

#include "cachescape/analyzer.hpp"
#include "cli/analysis_option.hpp"
#include "cli/exit_code.hpp"
#include "cli/input.hpp"
#include "cli/progress.hpp"
#include "cli/trace_output.hpp"
#include "cli/verb.hpp"
#include "cli/version.hpp"
#include "product/report/number_text.hpp"
#include "profile/writer.hpp"

namespace cachescape::cli {
namespace {

struct ImportOptions {
  InputOptions input;
  TraceOutputOptions output;
  AnalysisFlags analysis;
};

Result<int> to_trace(const ImportOptions& options) {
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

std::string host_name() {
  std::string name(256, '\0');
  if (gethostname(name.data(), name.size() - 1) != 0) return "unknown";
  name.resize(name.find('\0'));
  return name;
}

/// Adds what the analysis does not know of the profile: where its accesses come from and what was lost on the way.
void complete(Profile& profile, const OpenedInput& input, const std::string& path) {
  if (input.trace != nullptr) profile.provenance = input.trace->metadata();
  std::erase_if(profile.provenance,
                [](const auto& fact) { return fact.first == "written_by" || fact.first == "instructions"; });
  profile.provenance.emplace_back("analysed", path == "-" ? "standard input" : path);
  profile.provenance.emplace_back("host", host_name());
  profile.provenance.emplace_back("written_by", std::string("cachescape ") + version);
  const SourceStatus status = input.source->status();
  profile.instructions = status.instructions;
  if (input.trace != nullptr) {
    const auto text = trace::value_of(input.trace->metadata(), "instructions");
    if (!text.empty()) profile.instructions = std::strtoull(std::string(text).c_str(), nullptr, 10);
  }
  profile.losses.lost_accesses += status.lost_accesses.value;
  profile.losses.skipped_records = status.skipped_records;
}

Result<int> to_profile(const ImportOptions& options) {
  CACHESCAPE_TRY(const AnalysisOptions analysis, analysis_options(options.analysis));
  CACHESCAPE_TRY(Analyzer analyzer, Analyzer::create(analysis));
  CACHESCAPE_TRY(const OpenedInput input, open_input(options.input));
  CACHESCAPE_TRY(const auto writer, profile::ProfileWriter::create(options.output.path));
  std::optional<Error> broken;
  {
    Progress progress("analysing");
    AccessBatch batch;
    std::size_t warned = 0;
    while (true) {
      auto more = input.source->next(batch);
      if (!more) {
        broken = std::move(more).error();
        break;
      }
      if (!*more) break;
      analyzer.consume(batch);
      for (; warned < analyzer.warnings().size(); ++warned) note(analyzer.warnings()[warned]);
      progress.update(*input.source);
    }
  }
  // What was read before an error is kept, and says that it is not all.
  Profile profile = analyzer.profile();
  complete(profile, input, options.input.path);
  profile.losses.truncated = broken.has_value();
  CACHESCAPE_CHECK(writer->update(profile));
  CACHESCAPE_CHECK(writer->finish());
  report_losses(input, options.input.path);
  if (broken) return std::unexpected(std::move(*broken));
  const KindCounts counts = profile.accesses();
  note(fmt::format("{}: profile of {} by {}", options.output.path,
                   report::counted(counts[0] + counts[1] + counts[2], "access"),
                   report::counted(profile.threads.size(), "thread")));
  return exit_success;
}

Result<int> run(const ImportOptions& options) {
  const std::string& path = options.output.path;
  if (path.ends_with(".cscape")) return to_profile(options);
  if (path.ends_with(".cstrace") || path == "-") return to_trace(options);
  return failure(ErrorKind::usage, "the output's name must end in .cscape (a profile) or .cstrace (a trace)",
                 "-o " + path);
}

}  // namespace

void add_import(Program& program) {
  CLI::App& verb = program.add_verb("import", "Analyse a trace into a profile (.cscape), or convert it (.cstrace)");
  auto options = std::make_shared<ImportOptions>();
  add_input(verb, options->input);
  add_trace_output(verb, options->output);
  verb.get_option("--output")->description("The .cscape or .cstrace to write; - is a .cstrace to standard output");
  add_analysis_options(verb, options->analysis);
  set_examples(verb,
               {{"valgrind --tool=lackey --trace-mem=yes ls 2>&1 | cachescape import - -o ls.cstrace",
                 "What ls touches, through a pipe"},
                {"cachescape import ls.cstrace -o ls.cscape", "Its profile: all that is needed to predict every cache"},
                {"cachescape import huge.din.xz -o huge.cscape --sample 0.01 --lines 64",
                 "A sample of a compressed DineroIV trace"},
                {"cachescape import pin.out --format pinatrace --lenient -o pin.cstrace",
                 "Skip broken lines and say how many"}});
  program.on(verb, [options] { return run(*options); });
}

}  // namespace cachescape::cli
