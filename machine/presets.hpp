// The machines that come with cachescape: machines/*.toml, and one for each row of
// machines/chameleon-hierarchies.csv. They are part of the library, so nothing needs to be installed.
// Safe from any thread; the first call reads them all (milliseconds).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cachescape/result.hpp"
#include "machine/machine.hpp"
#include "machine/toml_file.hpp"

namespace cachescape::machine {

struct PresetSummary {
  std::string name;
  std::string title;
  std::string levels;  ///< as summarise() says it
};

/// Names in ascending order.
std::vector<std::string_view> preset_names();

/// All presets by ascending name.
Result<std::vector<PresetSummary>> list_presets();

/// The machine file of a preset, ignoring letter case; null where there is none of that name.
const MachineText* preset_text(std::string_view name);

/// Presets inherit from presets only: a loader for read_machine.
Result<MachineText> load_preset(std::string_view reference, std::string_view from);

/// Error for a name that no preset has, with those that may have been meant among `known`.
Error no_such_machine(std::string_view name, const std::vector<std::string_view>& known);

}  // namespace cachescape::machine
