// `cachescape merge` and `validate`: profiles as files among others.
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/exit_code.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/verb.hpp"
#include "profile/merge.hpp"
#include "profile/reader.hpp"
#include "profile/validate.hpp"
#include "profile/writer.hpp"

namespace cachescape::cli {
namespace {

struct MergeVerbOptions {
  std::vector<std::string> profiles;
  std::string output;
  std::string as = "runs";
};

Result<int> merge(const MergeVerbOptions& options) {
  std::vector<Profile> inputs;
  for (const std::string& path : options.profiles) {
    CACHESCAPE_TRY(Profile profile, profile::read_profile(path));
    inputs.push_back(std::move(profile));
  }
  using profile::MergeKind;
  const MergeKind kind = options.as == "runs"      ? MergeKind::runs
                         : options.as == "threads" ? MergeKind::threads
                                                   : MergeKind::ranks;
  CACHESCAPE_TRY(const Profile merged, profile::merge(inputs, kind));
  CACHESCAPE_CHECK(profile::write_profile(options.output, merged));
  note(fmt::format("{}: {} profiles merged as {}", options.output, inputs.size(), options.as));
  return exit_success;
}

Result<int> validate(const std::vector<std::string>& paths) {
  bool good = true;
  std::string text;
  for (const std::string& path : paths) {
    CACHESCAPE_TRY(const Profile profile, profile::read_profile(path));
    const auto problems = profile::validate(profile);
    if (problems.empty()) text += fmt::format("{}: good\n", path);
    for (const std::string& problem : problems) text += fmt::format("{}: {}\n", path, problem);
    good = good && problems.empty();
  }
  CACHESCAPE_CHECK(print_text(text));
  return good ? exit_success : exit_difference;
}

}  // namespace

void add_merge(Program& program) {
  CLI::App& verb = program.add_verb("merge", "Make one profile of several");
  auto options = std::make_shared<MergeVerbOptions>();
  verb.add_option("PROFILE", options->profiles, "Profiles to merge")->required();
  verb.add_option("-o,--output", options->output, "The .cscape to write")->required()->type_name("FILE");
  verb.add_option("--as", options->as, "Runs of one program, threads of one process, or ranks side by side")
      ->type_name("runs|threads|ranks")
      ->check(CLI::IsMember({"runs", "threads", "ranks"}))
      ->capture_default_str();
  set_examples(verb, {{"cachescape merge rank*.cscape --as ranks -o job.cscape", "A parallel job from its processes"}});
  program.on(verb, [options] { return merge(*options); });
}

void add_validate(Program& program) {
  CLI::App& verb = program.add_verb("validate", "Check that the numbers of a profile agree with each other");
  auto profiles = std::make_shared<std::vector<std::string>>();
  verb.add_option("PROFILE", *profiles, "Profiles to check")->required();
  set_examples(verb, {{"cachescape validate app.cscape", "Exit code 1 and what is wrong, or 0"}});
  program.on(verb, [profiles] { return validate(*profiles); });
}

}  // namespace cachescape::cli
