// `cachescape surface`: hit rates by depth and width.
#include <memory>
#include <string>

#include "cli/exit_code.hpp"
#include "cli/output.hpp"
#include "cli/terminal.hpp"
#include "cli/verb.hpp"
#include "model/surface.hpp"
#include "product/report/surface_report.hpp"
#include "profile/reader.hpp"

namespace cachescape::cli {
namespace {

struct SurfaceVerbOptions {
  std::string profile;
  bool csv = false;
  bool json = false;
  bool map = false;
};

Result<int> run(const SurfaceVerbOptions& options) {
  profile::ReadFilter filter;
  filter.places = false;
  filter.sharing = false;
  filter.scopes = {Scope{}};
  filter.popularity = false;
  filter.write_backs = false;
  filter.sets = false;
  CACHESCAPE_TRY(const Profile profile, profile::read_profile(options.profile, filter));
  auto surface = model::surface(profile);
  if (!surface) {
    if (surface.error().where.empty()) surface.error().where = options.profile;
    return std::unexpected(std::move(surface).error());
  }
  if (options.json) {
    CACHESCAPE_CHECK(print_json(report::surface_json(*surface)));
  } else if (options.csv) {
    CACHESCAPE_CHECK(print_text(report::surface_csv(*surface)));
  } else if (options.map) {
    CACHESCAPE_CHECK(print_text(report::surface_heat_map(*surface, terminal_glyphs(), terminal_colours())));
  } else {
    CACHESCAPE_CHECK(print_text(report::surface_table(*surface)));
  }
  return exit_success;
}

}  // namespace

void add_surface(Program& program) {
  CLI::App& verb = program.add_verb(
      "surface", "Show hit rates of fully associative caches by depth (lines) and width (bytes a line)");
  auto options = std::make_shared<SurfaceVerbOptions>();
  verb.add_option("PROFILE", options->profile, "A .cscape")->required();
  auto* form = verb.add_option_group("output");
  form->require_option(0, 1);
  form->add_flag("--map", options->map, "Draw a heat map");
  form->add_flag("--csv", options->csv, "Print CSV");
  form->add_flag("--json", options->json, "Print JSON");
  set_examples(verb, {{"cachescape surface app.cscape --map", "Where a program's locality is, at a glance"}});
  program.on(verb, [options] { return run(*options); });
}

}  // namespace cachescape::cli
