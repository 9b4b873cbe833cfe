// From what a user typed to a machine.
#pragma once

#include <filesystem>
#include <span>
#include <string_view>

#include "cachescape/result.hpp"
#include "machine/machine.hpp"

namespace cachescape::machine {

/// The machine that `text` means, in this order:
/// - "host": this computer (detect.hpp);
/// - a path (it has a '/' or ends in ".toml"): that file;
/// - inline text (it has a ':' or is digits with commas; inline_text.hpp);
/// - else a name, ignoring letter case: NAME.toml in the directories of `search_path`, in order, then the
///   presets.
/// Files may inherit from presets, from names on the search path and, by a path relative to themselves, from
/// other files. Reads files; safe from any thread.
Result<Machine> find(std::string_view text, std::span<const std::filesystem::path> search_path = {});

}  // namespace cachescape::machine
