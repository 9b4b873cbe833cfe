// The --machine option, the same for every verb.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>

#include "cachescape/result.hpp"
#include "machine/machine.hpp"

namespace cachescape::cli {

struct MachineOptions {
  std::string machine;
  std::optional<std::uint32_t> cores;
};

void add_machine_options(CLI::App& verb, MachineOptions& options);
/// The same where --machine may be left out.
void add_optional_machine_options(CLI::App& verb, MachineOptions& options);

/// The machine asked for, with the number of cores asked for. Names are also looked for as NAME.toml in the directories
/// of CACHESCAPE_MACHINES (separated by colons).
Result<machine::Machine> find_machine(const MachineOptions& options);
Result<machine::Machine> find_machine(const std::string& text);

struct ChosenMachine {
  machine::Machine machine;
  std::string reason;  ///< why it is this one, where nobody chose it; a clause
};

/// The machine asked for; where none was, the one that we run on; where that hides its caches, a common server's.
Result<ChosenMachine> find_or_choose_machine(const MachineOptions& options);

}  // namespace cachescape::cli
