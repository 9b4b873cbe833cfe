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

/// The machine asked for, with the number of cores asked for. Names are also looked for as NAME.toml in the directories
/// of CACHESCAPE_MACHINES (separated by colons).
Result<machine::Machine> find_machine(const MachineOptions& options);
Result<machine::Machine> find_machine(const std::string& text);

}  // namespace cachescape::cli
