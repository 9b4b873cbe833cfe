#include "machine/presets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "machine/close_names.hpp"
#include "machine/hierarchy_table.hpp"
#include "machine/preset_files.hpp"
#include "machine/summary.hpp"

namespace cachescape::machine {

namespace {

constexpr std::string_view toml = ".toml";
constexpr std::string_view csv = ".csv";
constexpr TableDescription chameleon{
    "chameleon",
    "Hierarchy of the Chameleon dissertation, no.",
    "J. Weinberg, The Chameleon Framework: Practical Solutions for Memory Behavior Analysis, dissertation, "
    "University of California, San Diego, 2008, Table 4.2, ID",
};

std::string lower(std::string_view text) {
  std::string out{text};
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

using Presets = std::map<std::string, MachineText, std::less<>>;

Presets read_presets() {
  Presets presets;
  for (const bytes::EmbeddedFile& file : preset_files()) {
    if (file.name.ends_with(toml)) {
      std::string name{file.name.substr(0, file.name.size() - toml.size())};
      presets.emplace(lower(name), MachineText{name, std::string{file.text}});
    } else if (file.name.ends_with(csv)) {
      // A row that cannot be read would be missing from the list: the tests count them.
      if (const auto machines = read_hierarchy_table(file.text, file.name, chameleon)) {
        for (const Machine& m : *machines) presets.emplace(lower(m.name), MachineText{m.name, to_toml(m)});
      }
    }
  }
  return presets;
}

const Presets& presets() {
  static const Presets all = read_presets();
  return all;
}

}  // namespace

std::vector<std::string_view> preset_names() {
  std::vector<std::string_view> names;
  for (const auto& [key, preset] : presets()) names.push_back(preset.name);
  return names;
}

Result<std::vector<PresetSummary>> list_presets() {
  std::vector<PresetSummary> list;
  for (const auto& [key, preset] : presets()) {
    CACHESCAPE_TRY(const Machine m, read_machine(preset.text, preset.name, load_preset));
    list.push_back({m.name, m.title, summarise(m)});
  }
  return list;
}

const MachineText* preset_text(std::string_view name) {
  const auto found = presets().find(lower(name));
  return found == presets().end() ? nullptr : &found->second;
}

Result<MachineText> load_preset(std::string_view reference, std::string_view /*from*/) {
  if (const MachineText* preset = preset_text(reference)) return *preset;
  return std::unexpected(no_such_machine(reference, preset_names()));
}

Error no_such_machine(std::string_view name, const std::vector<std::string_view>& known) {
  constexpr std::string_view list = "\"cachescape machine list\" shows all machines";
  const auto close = close_names(name, known, 3);
  return Error{ErrorKind::usage, fmt::format("no machine is called \"{}\"", name), std::string{},
               close.empty() ? std::string{list} : fmt::format("did you mean {}? {}", fmt::join(close, ", "), list)};
}

}  // namespace cachescape::machine
