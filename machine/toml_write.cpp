#include <fmt/format.h>

#include <string>
#include <string_view>

#include "machine/names.hpp"
#include "machine/size_text.hpp"
#include "machine/toml_file.hpp"

namespace cachescape::machine {

namespace {

/// A TOML basic string.
std::string toml_string(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20 || byte == 0x7f) {
      out += fmt::format("\\u{:04X}", byte);
    } else {
      out += c;
    }
  }
  out += '"';
  return out;
}

std::string level_text(const Level& l) {
  std::string out = "\n[[level]]\n";
  out += fmt::format("name = {}\n", toml_string(l.name));
  out += fmt::format("size = {}\n", toml_string(print_size(l.size())));
  out += fmt::format("ways = {}\n", l.ways);
  out += fmt::format("line = {}\n", l.line.bytes().value);
  if (l.shared_by == shared_by_all) {
    out += "shared_by = \"all\"\n";
  } else {
    out += fmt::format("shared_by = {}\n", l.shared_by);
  }
  out += fmt::format("replacement = \"{}\"\n", name_of(replacement_names, l.replacement));
  out += fmt::format("write = \"{}\"\n", name_of(write_names, l.write));
  out += fmt::format("write_allocate = {}\n", l.write_allocate);
  out += fmt::format("inclusion = \"{}\"\n", name_of(inclusion_names, l.inclusion));
  if (l.latency) out += fmt::format("latency = {}\n", *l.latency);
  if (l.bandwidth) out += fmt::format("bandwidth = {}\n", *l.bandwidth);
  return out;
}

}  // namespace

std::string to_toml(const Machine& machine) {
  std::string out;
  if (!machine.name.empty()) out += fmt::format("name = {}\n", toml_string(machine.name));
  if (!machine.title.empty()) out += fmt::format("title = {}\n", toml_string(machine.title));
  if (machine.cores != 0) out += fmt::format("cores = {}\n", machine.cores);
  out += fmt::format("coherence = \"{}\"\n", name_of(coherence_names, machine.coherence));
  if (machine.memory_latency) out += fmt::format("memory_latency = {}\n", *machine.memory_latency);
  if (machine.frequency) out += fmt::format("frequency_ghz = {}\n", *machine.frequency);
  for (const Level& l : machine.levels) out += level_text(l);
  if (!machine.sources.empty()) {
    // One table for all, because the order among levels is part of the machine.
    out += "\n[source]\n";
    for (const auto& [key, text] : machine.sources)
      out += fmt::format("{} = {}\n", toml_string(key), toml_string(text));
  }
  return out;
}

}  // namespace cachescape::machine
