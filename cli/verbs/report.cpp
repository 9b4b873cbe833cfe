// `cachescape report`: what a program did, and where its misses are.
#include <cstdint>
#include <memory>
#include <string>

#include "cli/exit_code.hpp"
#include "cli/machine_option.hpp"
#include "cli/output.hpp"
#include "cli/terminal.hpp"
#include "cli/verb.hpp"
#include "model/needs.hpp"
#include "product/report/places_csv.hpp"
#include "product/report/places_json.hpp"
#include "product/report/places_report.hpp"
#include "product/report/places_text.hpp"
#include "product/report/sharing_report.hpp"
#include "product/report/stacks_csv.hpp"
#include "product/report/stacks_json.hpp"
#include "product/report/stacks_report.hpp"
#include "product/report/stacks_text.hpp"
#include "profile/reader.hpp"

namespace cachescape::cli {
namespace {

struct ReportVerbOptions {
  std::string profile;
  MachineOptions machine;
  std::string by = "function";
  std::string sort = "misses";
  std::uint64_t top = 10;
  bool counters = false;
  bool json = false;
  bool csv = false;
};

model::PlaceOrder order_named(const std::string& name) {
  if (name == "accesses") return model::PlaceOrder::accesses;
  return name == "bytes" ? model::PlaceOrder::bytes : model::PlaceOrder::misses;
}

Result<int> run_sharing(const ReportVerbOptions& options) {
  CACHESCAPE_TRY(const profile::ProfileHeader header, profile::read_header(options.profile));
  profile::ReadFilter filter;
  filter.stacks = false;
  filter.sets = false;
  CACHESCAPE_TRY(const Profile profile, profile::read_profile(options.profile, filter));
  const report::SharingReport report{report::summary_of(header, options.profile), model::sharing_of(profile),
                                     options.top};
  if (options.json) {
    CACHESCAPE_CHECK(print_json(report::sharing_json(report)));
  } else if (options.csv) {
    CACHESCAPE_CHECK(print_text(report::sharing_csv(report)));
  } else {
    CACHESCAPE_CHECK(print_text(report::sharing_text(report, terminal_width())));
  }
  return exit_success;
}

model::StackOrder stack_order_named(const std::string& name) {
  if (name == "accesses") return model::StackOrder::memory_operations;
  return name == "bytes" ? model::StackOrder::bytes : model::StackOrder::instructions;
}

/// Stacks have counters and no distances, so that no machine matters.
Result<int> run_by_stack(const ReportVerbOptions& options) {
  CACHESCAPE_TRY(const profile::ProfileHeader header, profile::read_header(options.profile));
  profile::ReadFilter filter;
  filter.stacks = false;
  filter.sets = false;
  CACHESCAPE_TRY(const Profile profile, profile::read_profile(options.profile, filter));
  const report::StacksReport report =
      report::stacks_report(report::summary_of(header, options.profile), profile, stack_order_named(options.sort),
                            options.top, options.counters);
  if (options.json) {
    CACHESCAPE_CHECK(print_json(report::stacks_json(report)));
  } else if (options.csv) {
    CACHESCAPE_CHECK(print_text(options.counters ? report::stack_counters_csv(report) : report::stacks_csv(report)));
  } else {
    CACHESCAPE_CHECK(print_text(report::stacks_text(report, terminal_width())));
  }
  return exit_success;
}

Result<int> run(const ReportVerbOptions& options) {
  if (options.json && options.csv) return failure(ErrorKind::usage, "choose one of --json and --csv");
  if (options.by == "sharing") return run_sharing(options);
  if (options.by == "stack") return run_by_stack(options);
  CACHESCAPE_TRY(ChosenMachine chosen, find_or_choose_machine(options.machine));
  CACHESCAPE_TRY(const profile::ProfileHeader header, profile::read_header(options.profile));
  profile::ReadFilter filter;
  for (const model::Need& need : model::needed(chosen.machine, header.general.threads.size())) {
    filter.lines.push_back(need.line);
  }
  CACHESCAPE_TRY(const Profile profile, profile::read_profile(options.profile, filter));
  report::PlacesOptions places;
  places.grouping = model::grouping_named(options.by).value_or(model::Grouping::function);
  places.order = order_named(options.sort);
  places.top = options.top;
  places.counters = options.counters;
  report::PlacesReport report =
      report::places_report(report::summary_of(header, options.profile), profile, std::move(chosen.machine), places);
  report.machine_reason = std::move(chosen.reason);
  if (options.json) {
    CACHESCAPE_CHECK(print_json(report::places_json(report)));
  } else if (options.csv) {
    CACHESCAPE_CHECK(print_text(options.counters ? report::counters_csv(report) : report::places_csv(report)));
  } else {
    CACHESCAPE_CHECK(print_text(report::places_text(report, terminal_width())));
  }
  return exit_success;
}

}  // namespace

void add_report(Program& program) {
  CLI::App& verb = program.add_verb("report", "Tell what a program did, and which places miss most");
  auto options = std::make_shared<ReportVerbOptions>();
  verb.add_option("PROFILE", options->profile, "A .cscape, also while it is being recorded")->required();
  add_optional_machine_options(verb, options->machine);
  verb.add_option("--by", options->by,
                  "What a place is; container is the function that code ended up in once everything was inlined; stack "
                  "the call stack, with counters alone; sharing shows the data that threads take from each other")
      ->type_name("function|container|line|variable|object|block|stack|sharing")
      ->check(CLI::IsMember({"function", "container", "line", "variable", "object", "block", "stack", "sharing"}))
      ->capture_default_str();
  verb.add_option("--sort", options->sort,
                  "Worst first; misses are those of all levels together, for stacks instructions")
      ->type_name("misses|accesses|bytes")
      ->check(CLI::IsMember({"misses", "accesses", "bytes"}))
      ->capture_default_str();
  verb.add_option("--top", options->top, "How many places to show, 0 = all")->type_name("N")->capture_default_str();
  verb.add_flag("--counters", options->counters, "Show every counter, and the main ones of each place");
  verb.add_flag("--json", options->json, "Print JSON");
  verb.add_flag("--csv", options->csv, "Print the places as CSV; with --counters the counters instead");
  set_examples(
      verb, {{"cachescape report app.cscape", "Counters, and the functions that miss most on this computer"},
             {"cachescape report app.cscape --machine zen4 --by line --top 20", "The source lines that miss most"},
             {"cachescape report app.cscape --by object --csv", "The data structures, for a spreadsheet"},
             {"cachescape report app.cscape --by sharing", "What threads take from each other, and what would cure it"},
             {"cachescape report app.cscape --counters", "With the instruction mix, types and callees"}});
  set_examples(verb,
               {{"cachescape report app.cscape", "Counters, and the functions that miss most on this computer"},
                {"cachescape report app.cscape --machine zen4 --by line --top 20", "The source lines that miss most"},
                {"cachescape report app.cscape --by object --csv", "The data structures, for a spreadsheet"},
                {"cachescape report app.cscape --by stack", "Counters by call stack, for --cachescape-counters=stack"},
                {"cachescape report app.cscape --counters", "With the instruction mix, types and callees"}});
  program.on(verb, [options] { return run(*options); });
}

}  // namespace cachescape::cli
