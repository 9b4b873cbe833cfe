#include "cli/machine_option.hpp"

#include <cstdlib>
#include <filesystem>
#include <vector>

#include "machine/find.hpp"
#include "machine/inline_text.hpp"
#include "machine/validate.hpp"

namespace cachescape::cli {

void add_machine_options(CLI::App& verb, MachineOptions& options) {
  verb.add_option("--machine", options.machine,
                  "A preset (cachescape machine list), a .toml file, host, or levels such as 'L1:32K,8,64 L2:1M,16,64'")
      ->required()
      ->type_name("MACHINE");
  verb.add_option("--cores", options.cores,
                  "Deal threads out to this many cores, 0 = a core per thread; otherwise what the machine has")
      ->type_name("N");
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

}  // namespace cachescape::cli
