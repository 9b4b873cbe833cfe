// Machine files: TOML as docs/formats/machine.md describes it.
//
// Reading trusts nothing: unknown keys, wrong types and impossible caches are errors that name file, line
// and column. Pure functions but for the loader; safe from any thread if the loader is.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "cachescape/result.hpp"
#include "machine/machine.hpp"

namespace cachescape::machine {

/// Larger machine files are refused.
inline constexpr std::size_t max_file_bytes = std::size_t{1} << 20;
/// Longest chain of `inherits`, the file itself included.
inline constexpr std::size_t max_inheritance = 16;

/// A machine file as found by a loader. `name` tells it from every other file, and errors show it.
struct MachineText {
  std::string name;
  std::string text;
};

/// Finds what `inherits = reference` means in the file called `from`.
using Loader = std::function<Result<MachineText>(std::string_view reference, std::string_view from)>;

/// Reads a valid machine. Its name is the file's `name` key, else `name`, which errors show as the file.
/// Without a loader `inherits` is an error.
Result<Machine> read_machine(std::string_view text, std::string_view name, const Loader& loader = {});

/// A file that reads back as `machine`: read_machine(to_toml(m), any) == m for every valid m whose texts are
/// UTF-8 and whose name is not empty. Inheritance is not kept: everything is written out.
std::string to_toml(const Machine& machine);

}  // namespace cachescape::machine
