#include "cli/machine_option.hpp"

#include <cstdlib>
#include <filesystem>
#include <vector>

#include "machine/find.hpp"
#include "machine/inline_text.hpp"
#include "machine/validate.hpp"

namespace cachescape::cli {
namespace {

constexpr const char* what_machines =
    "A preset (cachescape machine list), a .toml file, host, or levels such as 'L1:32K,8,64 L2:1M,16,64'";
/// What stands in for a host that cannot be detected.
constexpr const char* usual_machine = "zen4";

void add_cores(CLI::App& verb, MachineOptions& options) {
  verb.add_option("--cores", options.cores,
                  "Deal threads out to this many cores, 0 = a core per thread; otherwise what the machine has")
      ->type_name("N");
}

}  // namespace

void add_machine_options(CLI::App& verb, MachineOptions& options) {
  verb.add_option("--machine", options.machine, what_machines)->required()->type_name("MACHINE");
  add_cores(verb, options);
}

void add_optional_machine_options(CLI::App& verb, MachineOptions& options) {
  verb.add_option("--machine", options.machine,
                  std::string(what_machines) + "; where none is given, host, or else " + usual_machine)
      ->type_name("MACHINE");
  add_cores(verb, options);
}

Result<machine::Machine> find_machine(const std::string& text) {
  std::vector<std::filesystem::path> directories;
  if (const char* path = std::getenv("CACHESCAPE_MACHINES")) {
    for (const std::string& d : CLI::detail::split(path, ':')) {
      if (!d.empty()) directories.emplace_back(d);
    }
  }
  auto machine = machine::find(text, directories);
  // What is wrong with inline text is wrong with the command line.
  if (!machine && machine::looks_inline(text)) machine.error().kind = ErrorKind::usage;
  return machine;
}

Result<machine::Machine> find_machine(const MachineOptions& options) {
  CACHESCAPE_TRY(machine::Machine machine, find_machine(options.machine));
  if (options.cores) {
    machine.cores = *options.cores;
    if (auto valid = machine::validate(machine); !valid) {
      valid.error().where = "--cores";
      valid.error().kind = ErrorKind::usage;
      return std::unexpected(std::move(valid).error());
    }
  }
  return machine;
}

Result<ChosenMachine> find_or_choose_machine(const MachineOptions& options) {
  ChosenMachine chosen;
  MachineOptions wanted = options;
  if (wanted.machine.empty()) {
    wanted.machine = "host";
    chosen.reason = "this computer, as no machine was chosen";
    if (!find_machine(wanted.machine)) {
      wanted.machine = usual_machine;
      chosen.reason = "as no machine was chosen and this computer hides its caches";
    }
  }
  CACHESCAPE_TRY(chosen.machine, find_machine(wanted));
  return chosen;
}

}  // namespace cachescape::cli
