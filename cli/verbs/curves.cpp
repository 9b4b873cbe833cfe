// `cachescape curves`: working sets, typical distances, spatial use and memory usage of a program.
#include <map>
#include <memory>
#include <string>

#include <fmt/format.h>

#include "cli/exit_code.hpp"
#include "cli/output.hpp"
#include "cli/terminal.hpp"
#include "cli/verb.hpp"
#include "machine/size_text.hpp"
#include "model/curve_summary.hpp"
#include "product/report/curve_report.hpp"
#include "product/report/curve_summary_report.hpp"
#include "product/report/number_text.hpp"
#include "profile/reader.hpp"

namespace cachescape::cli {
namespace {

struct CurvesVerbOptions {
  std::string profile;
  std::uint64_t line = 0;
  std::string kind = "all";
  std::string size = "32K";
  bool csv = false;
  bool json = false;
};

const std::map<std::string, model::Kinds> kinds_by_word{
    {"load", model::Kinds::loads}, {"store", model::Kinds::stores}, {"all", model::Kinds::all}};

Result<model::CurveQuestion> question_of(const CurvesVerbOptions& options, bool line_given) {
  model::CurveQuestion question;
  if (line_given) {
    if (!LineSize::valid(options.line)) {
      return failure(ErrorKind::usage,
                     fmt::format("a line of {} bytes is not a power of two from 1 byte to 1 GiB", options.line),
                     "--line");
    }
    question.line = LineSize::of(options.line);
  }
  question.kinds = kinds_by_word.at(options.kind);
  auto size = machine::parse_size(options.size);
  if (!size) {
    size.error().where = "--size";
    size.error().kind = ErrorKind::usage;
    return std::unexpected(std::move(size).error());
  }
  question.spatial_size = *size;
  return question;
}

Result<int> run(const CurvesVerbOptions& options, bool line_given) {
  CACHESCAPE_TRY(const model::CurveQuestion question, question_of(options, line_given));
  profile::ReadFilter filter;
  filter.places = false;
  filter.sharing = false;
  filter.scopes = {Scope{}};
  filter.sets = false;
  filter.write_backs = false;
  CACHESCAPE_TRY(const Profile profile, profile::read_profile(options.profile, filter));
  auto summary = model::summarise_curves(profile, question);
  if (!summary) {
    if (summary.error().where.empty()) summary.error().where = options.profile;
    return std::unexpected(std::move(summary).error());
  }
  if (options.json) {
    CACHESCAPE_CHECK(print_json(report::curve_summary_json(*summary)));
  } else if (options.csv) {
    CACHESCAPE_CHECK(print_text(report::curve_csv(summary->points, summary->line)));
  } else {
    const char* const whose = options.kind == "all" ? "loads and stores" : options.kind == "load" ? "loads" : "stores";
    std::string text = fmt::format("{}: {} touches of {}-byte lines by {}\n\n", options.profile,
                                   report::with_thousands(summary->touches), summary->line.bytes().value, whose);
    text += report::curve_summary_text(*summary, {terminal_width(), 16, terminal_glyphs(), terminal_colours(), true});
    CACHESCAPE_CHECK(print_text(text));
  }
  return exit_success;
}

}  // namespace

void add_curves(Program& program) {
  CLI::App& verb =
      program.add_verb("curves", "Show working sets, typical distances, spatial use and memory usage of a program");
  auto options = std::make_shared<CurvesVerbOptions>();
  verb.add_option("PROFILE", options->profile, "A .cscape")->required();
  CLI::Option* const line =
      verb.add_option("--line", options->line, "Line size in bytes; 64, or the recorded one nearest to it, otherwise")
          ->type_name("B");
  verb.add_option("--kind", options->kind, "Whose misses: loads (with read-modify-writes), stores or all")
      ->type_name("load|store|all")
      ->check(CLI::IsMember({"load", "store", "all"}))
      ->capture_default_str();
  verb.add_option("--size", options->size, "The cache whose spatial use is told")
      ->type_name("SIZE")
      ->capture_default_str();
  auto* form = verb.add_option_group("output");
  form->require_option(0, 1);
  form->add_flag("--csv", options->csv, "Print the working-set curve as CSV, a row for every size where it changes");
  form->add_flag("--json", options->json, "Print JSON");
  set_examples(verb, {{"cachescape curves app.cscape", "How large a cache the program needs, and what each size buys"},
                      {"cachescape curves app.cscape --kind store --line 128", "The stores alone, with 128-byte lines"},
                      {"cachescape curves app.cscape --csv > curve.csv", "The exact curve for a spreadsheet"}});
  program.on(verb, [options, line] { return run(*options, line->count() > 0); });
}

}  // namespace cachescape::cli
