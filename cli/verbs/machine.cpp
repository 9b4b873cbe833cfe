// `cachescape machine`: the machines that models and the simulator know.
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/exit_code.hpp"
#include "cli/machine_option.hpp"
#include "cli/output.hpp"
#include "cli/verb.hpp"
#include "machine/inline_text.hpp"
#include "machine/names.hpp"
#include "machine/presets.hpp"
#include "machine/toml_file.hpp"
#include "product/report/number_text.hpp"
#include "product/report/outcome_json.hpp"
#include "product/report/outcome_text.hpp"
#include "product/report/table.hpp"

namespace cachescape::cli {
namespace {

using report::Table;

struct MachineVerbOptions {
  std::string machine;
  std::vector<std::string> files;
  bool names = false;
  bool json = false;
  bool toml = false;
};

Result<int> list(const MachineVerbOptions& options) {
  CACHESCAPE_TRY(const auto presets, machine::list_presets());
  if (options.json) {
    auto json = nlohmann::ordered_json::array();
    for (const auto& p : presets) json.push_back({{"name", p.name}, {"title", p.title}, {"levels", p.levels}});
    CACHESCAPE_CHECK(print_json(json));
    return exit_success;
  }
  std::string text;
  if (options.names) {
    for (const auto& p : presets) text += p.name + '\n';
  } else {
    Table table({{"name", Table::Align::left}, {"machine", Table::Align::left}, {"levels", Table::Align::left}});
    for (const auto& p : presets) table.add({p.name, p.title, p.levels});
    text = table.text();
  }
  CACHESCAPE_CHECK(print_text(text));
  return exit_success;
}

std::string cycles(const std::optional<double>& latency) {
  return latency ? fmt::format("{:g} cycles", *latency) : "–";
}

std::string describe(const machine::Machine& m) {
  std::string text = m.title.empty() || m.title == m.name ? m.name : fmt::format("{}: {}", m.name, m.title);
  text += fmt::format("\n{}, coherence {}\n\n", m.cores == 0 ? "a core per thread" : report::counted(m.cores, "core"),
                      machine::name_of(machine::coherence_names, m.coherence));
  Table table({{"level", Table::Align::left},
               {"cache", Table::Align::left},
               {"sets"},
               {"policy", Table::Align::left},
               {"latency"}});
  for (const machine::Level& l : m.levels) {
    const std::string policy =
        fmt::format("{}, write-{}{}, {}", machine::name_of(machine::replacement_names, l.replacement),
                    machine::name_of(machine::write_names, l.write), l.write_allocate ? "" : " no-allocate",
                    machine::name_of(machine::inclusion_names, l.inclusion));
    table.add({l.name, report::level_text(l), fmt::format("{}", l.sets), policy, cycles(l.latency)});
  }
  if (m.memory_latency) table.add({"memory", "", "", "", cycles(m.memory_latency)});
  text += table.text();
  if (!m.sources.empty()) {
    text += "\nsources\n";
    std::string for_all;
    for (const auto& [key, source] : m.sources) {
      if (key == "*") for_all = source;
      if (key == "*" || source != for_all) text += fmt::format("  {}: {}\n", key == "*" ? "all" : key, source);
    }
  }
  return text + fmt::format("\nin one line: {}\n", machine::to_inline(m));
}

Result<int> show(const machine::Machine& m, const MachineVerbOptions& options) {
  if (options.json) {
    CACHESCAPE_CHECK(print_json(report::machine_json(m)));
  } else {
    CACHESCAPE_CHECK(print_text(options.toml ? machine::to_toml(m) : describe(m)));
  }
  return exit_success;
}

Result<int> check(const MachineVerbOptions& options) {
  bool all_good = true;
  std::string text;
  for (const std::string& file : options.files) {
    if (const auto m = find_machine(file)) {
      text += fmt::format("{}: good, {} levels\n", file, m->levels.size());
      continue;
    } else if (m.error().kind == ErrorKind::io) {
      return std::unexpected(m.error());
    } else {
      all_good = false;
      text += fmt::format("{}: {}\n", m.error().where, m.error().what);
      if (!m.error().hint.empty()) text += fmt::format("  hint: {}\n", m.error().hint);
    }
  }
  CACHESCAPE_CHECK(print_text(text));
  return all_good ? exit_success : exit_difference;
}

}  // namespace

void add_machine(Program& program) {
  CLI::App& verb = program.add_verb("machine", "List, show, check and detect machines");
  verb.require_subcommand(1);
  auto options = std::make_shared<MachineVerbOptions>();

  CLI::App& list_verb = Program::add_verb(verb, "list", "The machines that come with cachescape");
  list_verb.add_flag("--names", options->names, "Names only, one a line");
  list_verb.add_flag("--json", options->json, "Print JSON");
  set_examples(list_verb, {{"cachescape machine list", "Name, title and levels of each"}});
  program.on(list_verb, [options] { return list(*options); });

  CLI::App& show_verb = Program::add_verb(verb, "show", "A machine's caches, and where each number comes from");
  show_verb.add_option("MACHINE", options->machine, "A preset, a .toml file, host, or levels such as 'L1:32K,8,64'")
      ->required();
  show_verb.add_flag("--json", options->json, "Print JSON");
  show_verb.add_flag("--toml", options->toml, "Print a machine file, to start your own from");
  set_examples(show_verb, {{"cachescape machine show zen4", "What we know of it"},
                           {"cachescape machine show zen4 --toml > mine.toml", "A file to change"}});
  program.on(show_verb, [options]() -> Result<int> {
    CACHESCAPE_TRY(const machine::Machine m, find_machine(options->machine));
    return show(m, *options);
  });

  CLI::App& check_verb = Program::add_verb(verb, "check", "Say whether machine files make sense");
  check_verb.add_option("FILE", options->files, "Machine files, names or inline text")->required();
  set_examples(check_verb, {{"cachescape machine check mine.toml", "Exit code 1 and what is wrong, or 0"}});
  program.on(check_verb, [options] { return check(*options); });

  CLI::App& detect_verb =
      Program::add_verb(verb, "detect", "This computer's caches, as the operating system tells them");
  detect_verb.add_flag("--json", options->json, "Print JSON");
  detect_verb.add_flag("--toml", options->toml, "Print a machine file");
  set_examples(detect_verb, {{"cachescape machine detect --toml > here.toml", "Keep this computer as a machine file"}});
  program.on(detect_verb, [options]() -> Result<int> {
    CACHESCAPE_TRY(const machine::Machine m, find_machine("host"));
    return show(m, *options);
  });

  set_examples(verb, {{"cachescape machine list", "What there is"}, {"cachescape machine show power4", "One of them"}});
}

}  // namespace cachescape::cli
