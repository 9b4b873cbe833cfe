// `cachescape simulate`: a trace through the reference simulator.
#include <memory>
#include <string>

#include <fmt/format.h>

#include "cli/exit_code.hpp"
#include "cli/input.hpp"
#include "cli/machine_option.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/verb.hpp"
#include "product/report/number_text.hpp"
#include "product/report/outcome_json.hpp"
#include "product/report/outcome_text.hpp"
#include "simulate/as_cachegrind.hpp"
#include "simulate/simulator.hpp"

namespace cachescape::cli {
namespace {

struct SimulateOptions {
  InputOptions input;
  MachineOptions machine;
  std::uint64_t seed = 1;
  std::string definitions = "touches";
  bool no_classes = false;
  bool by_kind = false;
  bool json = false;
};

template <class Simulator>
Result<HierarchyOutcome> run_through(Simulator& simulator, const SimulateOptions& options) {
  CACHESCAPE_TRY(const OpenedInput input, open_input(options.input));
  {
    Progress progress("simulating");
    AccessBatch batch;
    while (true) {
      CACHESCAPE_TRY(const bool more, input.source->next(batch));
      if (!more) break;
      simulator.consume(batch);
      progress.update(*input.source);
    }
  }
  report_losses(input, options.input.path);
  return simulator.outcome();
}

Result<HierarchyOutcome> simulate(const machine::Machine& machine, const SimulateOptions& options) {
  if (options.definitions == "cachegrind") {
    CACHESCAPE_TRY(auto simulator, simulate::AsCachegrind::create(machine));
    return run_through(simulator, options);
  }
  simulate::Simulator simulator(machine, {!options.no_classes, options.seed});
  return run_through(simulator, options);
}

Result<int> run(const SimulateOptions& options) {
  CACHESCAPE_TRY(const machine::Machine machine, find_machine(options.machine));
  CACHESCAPE_TRY(const HierarchyOutcome outcome, simulate(machine, options));
  if (options.json) {
    CACHESCAPE_CHECK(print_json(report::outcome_json(outcome, machine, "simulation")));
    return exit_success;
  }
  std::string text =
      fmt::format("{} on {}\n{} by {} on {}\n\n", options.input.path,
                  machine.title.empty() ? machine.name : machine.title, report::counted(outcome.accesses, "access"),
                  report::counted(outcome.threads, "thread"), report::counted(outcome.cores, "core"));
  text += report::outcome_text(outcome, machine, {options.by_kind});
  CACHESCAPE_CHECK(print_text(text));
  return exit_success;
}

}  // namespace

void add_simulate(Program& program) {
  CLI::App& verb = program.add_verb("simulate", "Run a trace through a machine's caches, access by access");
  auto options = std::make_shared<SimulateOptions>();
  add_input(verb, options->input);
  add_machine_options(verb, options->machine);
  verb.add_option("--seed", options->seed, "Seed of random replacement")->type_name("N")->capture_default_str();
  verb.add_option("--definitions", options->definitions,
                  "Count each line an access touches (touches), or count as cachegrind does: an access misses once if "
                  "any of its lines misses")
      ->type_name("touches|cachegrind")
      ->check(CLI::IsMember({"touches", "cachegrind"}))
      ->capture_default_str();
  verb.add_flag("--no-classes", options->no_classes, "Do not tell cold, capacity and conflict misses apart; faster");
  verb.add_flag("--by-kind", options->by_kind, "Show reads and writes apart");
  verb.add_flag("--json", options->json, "Print JSON");
  set_examples(verb,
               {{"cachescape simulate ls.cstrace --machine i7-4770k", "Hits and misses at every level of a Haswell"},
                {"cachescape simulate app.din.gz --machine 'L1:32K,8,64 L2:1M,16,64' --json",
                 "A foreign trace on a machine given in words, as JSON"},
                {"cachescape simulate app.cstrace --machine zen4 --cores 4",
                 "Threads dealt out to four cores with private and shared caches"}});
  program.on(verb, [options] { return run(*options); });
}

}  // namespace cachescape::cli
