// `cachescape predict`: a machine's hits and misses from a profile.
#include <memory>
#include <string>

#include <fmt/format.h>

#include "cli/exit_code.hpp"
#include "cli/machine_option.hpp"
#include "cli/output.hpp"
#include "cli/verb.hpp"
#include "model/needs.hpp"
#include "model/predict.hpp"
#include "product/report/number_text.hpp"
#include "product/report/prediction_json.hpp"
#include "product/report/prediction_text.hpp"
#include "profile/reader.hpp"

namespace cachescape::cli {
namespace {

struct PredictVerbOptions {
  std::string profile;
  MachineOptions machine;
  std::string detail = "coherence";
  bool by_kind = false;
  bool json = false;
};

model::Detail detail_named(const std::string& name) {
  if (name == "stack") return model::Detail::stack;
  if (name == "sets") return model::Detail::sets;
  return name == "touches" ? model::Detail::touches : model::Detail::coherence;
}

Result<int> run(const PredictVerbOptions& options) {
  CACHESCAPE_TRY(const machine::Machine machine, find_machine(options.machine));
  CACHESCAPE_TRY(const profile::ProfileHeader header, profile::read_header(options.profile));
  // Only the histograms that this machine needs are read.
  const auto needs = model::needed(machine, header.general.threads.size());
  profile::ReadFilter filter;
  filter.places = false;
  for (const model::Need& need : needs) filter.lines.push_back(need.line);
  CACHESCAPE_TRY(const Profile profile, profile::read_profile(options.profile, filter));
  auto prediction = model::predict(profile, machine, {true, detail_named(options.detail)});
  if (!prediction) {
    if (prediction.error().where.empty()) prediction.error().where = options.profile;
    return std::unexpected(std::move(prediction).error());
  }
  if (options.json) {
    CACHESCAPE_CHECK(print_json(report::prediction_json(*prediction, machine)));
    return exit_success;
  }
  const HierarchyOutcome& outcome = prediction->outcome;
  std::string text =
      fmt::format("{} on {}\n{} by {}\n\n", options.profile, machine.title.empty() ? machine.name : machine.title,
                  report::counted(outcome.accesses, "access"), report::counted(outcome.threads, "thread"));
  text += report::prediction_text(*prediction, machine, {options.by_kind});
  CACHESCAPE_CHECK(print_text(text));
  return exit_success;
}

}  // namespace

void add_predict(Program& program) {
  CLI::App& verb = program.add_verb("predict", "Tell a machine's hits and misses from a profile, at once");
  auto options = std::make_shared<PredictVerbOptions>();
  verb.add_option("PROFILE", options->profile, "A .cscape, also while it is being recorded")->required();
  add_machine_options(verb, options->machine);
  verb.add_option(
          "--detail", options->detail,
          "How much of the caches is modelled: their sizes, their sets too, also what others touch (as Byfl does) or "
          "what others' writes take away")
      ->type_name("stack|sets|touches|coherence")
      ->check(CLI::IsMember({"stack", "sets", "touches", "coherence"}))
      ->capture_default_str();
  verb.add_flag("--by-kind", options->by_kind, "Show reads and writes apart");
  verb.add_flag("--json", options->json, "Print JSON");
  set_examples(verb, {{"cachescape predict app.cscape --machine zen4", "Every level of a Zen 4; says what is exact"},
                      {"cachescape predict app.cscape --machine power4 --cores 8",
                       "A machine whose caches take lines from each other"},
                      {"cachescape predict app.cscape --machine 'L1:48K,12,64 L2:2M,16,64' --json",
                       "A machine given in words, as JSON"}});
  program.on(verb, [options] { return run(*options); });
}

}  // namespace cachescape::cli
