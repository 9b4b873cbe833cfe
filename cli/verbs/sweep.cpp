// `cachescape sweep`: a whole design space from one profile.
#include <array>
#include <charconv>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/comma_list.hpp"
#include "cli/exit_code.hpp"
#include "cli/output.hpp"
#include "cli/terminal.hpp"
#include "cli/verb.hpp"
#include "machine/size_text.hpp"
#include "model/streams.hpp"
#include "model/sweep.hpp"
#include "product/report/sweep_report.hpp"
#include "profile/reader.hpp"

namespace cachescape::cli {
namespace {

struct LevelRange {
  const char* flag;
  const char* name;
  std::string text;
};

struct SweepVerbOptions {
  std::string profile;
  std::array<LevelRange, 4> levels{
      {{"--size", "cache", ""}, {"--l1", "L1", ""}, {"--l2", "L2", ""}, {"--l3", "L3", ""}}};
  std::vector<std::string> ways{"4", "8", "16", "full"};
  std::vector<std::uint64_t> lines{64};
  std::string step;
  bool csv = false;
  bool json = false;
  bool chart = false;
};

Result<Bytes> size_of(const std::string& text, const char* flag) {
  auto size = machine::parse_size(text);
  if (size) return *size;
  size.error().where = flag;
  size.error().kind = ErrorKind::usage;
  return std::unexpected(std::move(size).error());
}

/// "128K..8M" (doubling, or by --step) or "32K,48K,64K".
Result<std::vector<Bytes>> sizes_of(const LevelRange& level, const std::string& step) {
  const auto dots = level.text.find("..");
  if (dots == std::string::npos) {
    std::vector<Bytes> sizes;
    for (const std::string& part : CLI::detail::split(level.text, ',')) {
      CACHESCAPE_TRY(const Bytes size, size_of(part, level.flag));
      sizes.push_back(size);
    }
    return sizes;
  }
  CACHESCAPE_TRY(const Bytes first, size_of(level.text.substr(0, dots), level.flag));
  CACHESCAPE_TRY(const Bytes last, size_of(level.text.substr(dots + 2), level.flag));
  if (first.value == 0 || first > last) {
    return failure(ErrorKind::usage, fmt::format("“{}” is not a range of sizes", level.text), level.flag,
                   "write it as 128K..8M, the smaller first");
  }
  if (step.empty()) return model::doubling_sizes(first, last);
  CACHESCAPE_TRY(const Bytes width, size_of(step, "--step"));
  if (width.value == 0) return failure(ErrorKind::usage, "a step of 0 leads nowhere", "--step");
  return model::stepped_sizes(first, last, width);
}

Result<model::SweepAxes> axes_of(const LevelRange& level, const SweepVerbOptions& options) {
  model::SweepAxes axes;
  axes.name = level.name;
  CACHESCAPE_TRY(axes.sizes, sizes_of(level, options.step));
  for (const std::string& w : options.ways) {
    std::uint64_t n = 0;
    const auto [end, error] = std::from_chars(w.data(), w.data() + w.size(), n);
    if (w == "full") {
      n = model::fully_associative;
    } else if (error != std::errc{} || end != w.data() + w.size() || n == 0) {
      return failure(ErrorKind::usage, fmt::format("“{}” is not a number of ways", w), "--ways",
                     "give numbers, or full");
    }
    axes.ways.push_back(n);
  }
  for (const std::uint64_t line : options.lines) {
    if (!LineSize::valid(line))
      return failure(ErrorKind::usage, fmt::format("a line of {} bytes is not a power of two", line), "--line");
    axes.lines.push_back(LineSize::of(line));
  }
  return axes;
}

Result<int> run(const SweepVerbOptions& options) {
  profile::ReadFilter filter;
  filter.places = false;
  for (const std::uint64_t line : options.lines) {
    if (LineSize::valid(line)) filter.lines.push_back(LineSize::of(line));
  }
  SweepVerbOptions chosen = options;
  bool any = false;
  for (const LevelRange& level : chosen.levels) any = any || !level.text.empty();
  if (!any) chosen.levels.front().text = "1K..64M";

  CACHESCAPE_TRY(const Profile profile, profile::read_profile(options.profile, filter));
  const model::Streams streams(profile);
  std::string text;
  auto json = nlohmann::ordered_json::array();
  for (const LevelRange& level : chosen.levels) {
    if (level.text.empty()) continue;
    CACHESCAPE_TRY(const model::SweepAxes axes, axes_of(level, options));
    auto sweep = model::sweep(streams, axes);
    if (!sweep) {
      if (sweep.error().where.empty()) sweep.error().where = options.profile;
      return std::unexpected(std::move(sweep).error());
    }
    if (options.json) {
      json.push_back(report::sweep_json(*sweep));
    } else if (options.csv) {
      const std::string csv = report::sweep_csv(*sweep);
      text += text.empty() ? csv : csv.substr(csv.find('\n') + 1);
    } else {
      if (!text.empty()) text += '\n';
      if (options.chart) {
        text += report::sweep_chart(*sweep, {terminal_width(), 16, terminal_glyphs(), terminal_colours(), true});
      } else {
        text += report::sweep_table(*sweep);
      }
    }
  }
  if (options.json) {
    CACHESCAPE_CHECK(print_json(json.size() == 1 ? json.front() : json));
  } else {
    CACHESCAPE_CHECK(print_text(text));
  }
  return exit_success;
}

}  // namespace

void add_sweep(Program& program) {
  CLI::App& verb = program.add_verb("sweep", "Tell the misses of every cache of a design space from a profile");
  auto options = std::make_shared<SweepVerbOptions>();
  verb.add_option("PROFILE", options->profile, "A .cscape")->required();
  for (LevelRange& level : options->levels) {
    const std::string text =
        level.flag == std::string("--size")
            ? "Sizes: 128K..8M (doubling, or by --step) or 32K,48K,64K (1K..64M where no level is given)"
            : fmt::format("Sizes of a cache to be called {}", level.name);
    verb.add_option(level.flag, level.text, text)->type_name("SIZES");
  }
  verb.add_option("--step", options->step, "Go from size to size by this much instead of doubling")->type_name("SIZE");
  comma_list(verb.add_option("--ways", options->ways, "Ways, separated by commas; full = fully associative"))
      ->type_name("N,…");
  comma_list(verb.add_option("--line", options->lines, "Line sizes in bytes"))->type_name("B,…");
  auto* form = verb.add_option_group("output");
  form->require_option(0, 1);
  form->add_flag("--chart", options->chart, "Draw miss ratio by size");
  form->add_flag("--csv", options->csv, "Print CSV");
  form->add_flag("--json", options->json, "Print JSON");
  set_examples(
      verb, {{"cachescape sweep app.cscape --l2 128K..8M --ways 4,8,16 --line 64,128", "Forty-two second-level caches"},
             {"cachescape sweep app.cscape --size 1K..64M --ways full --chart", "The working-set curve as a picture"}});
  program.on(verb, [options] { return run(*options); });
}

}  // namespace cachescape::cli
