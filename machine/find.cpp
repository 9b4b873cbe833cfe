#include "machine/find.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "machine/detect.hpp"
#include "machine/inline_text.hpp"
#include "machine/presets.hpp"
#include "machine/toml_file.hpp"

namespace cachescape::machine {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view extension = ".toml";

bool same_name(std::string_view a, std::string_view b) {
  constexpr auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](char x, char y) { return lower(x) == lower(y); });
}

bool is_path(std::string_view text) { return text.find('/') != std::string_view::npos || text.ends_with(extension); }

Result<MachineText> read_text(const fs::path& path) {
  MachineText file{path.string(), {}};
  std::error_code code;
  if (fs::is_directory(path, code)) {
    return failure(ErrorKind::io, "this is a directory, not a machine file", file.name);
  }
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    return failure(ErrorKind::io,
                   fmt::format("the machine file cannot be opened: {}", std::generic_category().message(errno)),
                   file.name);
  }
  // One byte more than allowed, so that the reader sees when a file is too long.
  file.text.resize(max_file_bytes + 1);
  in.read(file.text.data(), static_cast<std::streamsize>(file.text.size()));
  if (in.bad()) return failure(ErrorKind::io, "the machine file cannot be read", file.name);
  file.text.resize(static_cast<std::size_t>(in.gcount()));
  return file;
}

/// The machine files of the directories of a search path that can be listed.
std::vector<fs::path> files_on(std::span<const fs::path> search_path) {
  std::vector<fs::path> files;
  for (const fs::path& directory : search_path) {
    const auto begin = static_cast<std::ptrdiff_t>(files.size());
    std::error_code code;
    for (fs::directory_iterator at(directory, code), end; !code && at != end; at.increment(code)) {
      if (at->path().extension() == extension) files.push_back(at->path());
    }
    std::sort(files.begin() + begin, files.end());
  }
  return files;
}

class Finder {
 public:
  explicit Finder(std::span<const fs::path> search_path) : files_(files_on(search_path)) {}

  Result<Machine> read(const MachineText& file) const {
    return read_machine(file.text, file.name,
                        [this](std::string_view reference, std::string_view from) { return load(reference, from); });
  }

  Result<Machine> by_path(std::string_view text) const {
    CACHESCAPE_TRY(const MachineText file, read_text(fs::path{text}));
    return read(file);
  }

  Result<Machine> by_name(std::string_view name) const {
    if (const std::optional<fs::path> path = file_called(name, {})) {
      CACHESCAPE_TRY(const MachineText file, read_text(*path));
      CACHESCAPE_TRY(Machine machine, read(file));
      machine.name = path->stem().string();
      return machine;
    }
    const MachineText* preset = preset_text(name);
    if (preset == nullptr) return std::unexpected(unknown(name));
    return read(*preset);
  }

 private:
  /// A file that inherits from its own name means the next one of that name.
  std::optional<fs::path> file_called(std::string_view name, std::string_view from) const {
    for (const fs::path& path : files_) {
      if (same_name(path.stem().string(), name) && path.string() != from) return path;
    }
    return std::nullopt;
  }

  Result<MachineText> load(std::string_view reference, std::string_view from) const {
    // Presets are made of presets, whatever the user's own machines are called.
    if (const MachineText* preset = preset_text(from); preset != nullptr && preset->name == from) {
      return load_preset(reference, from);
    }
    if (is_path(reference)) return read_text((fs::path{from}.parent_path() / reference).lexically_normal());
    if (const std::optional<fs::path> path = file_called(reference, from)) return read_text(*path);
    if (const MachineText* preset = preset_text(reference)) return *preset;
    return std::unexpected(unknown(reference));
  }

  Error unknown(std::string_view name) const {
    std::vector<std::string> own;
    own.reserve(files_.size());
    for (const fs::path& path : files_) own.push_back(path.stem().string());
    std::vector<std::string_view> known(own.begin(), own.end());
    const auto presets = preset_names();
    known.insert(known.end(), presets.begin(), presets.end());
    known.emplace_back("host");
    return no_such_machine(name, known);
  }

  std::vector<fs::path> files_;
};

}  // namespace

Result<Machine> find(std::string_view text, std::span<const fs::path> search_path) {
  if (text.empty()) {
    return failure(ErrorKind::usage, "no machine is named", {}, "\"cachescape machine list\" shows all machines");
  }
  if (same_name(text, "host")) return detect_host();
  try {
    const Finder finder(search_path);
    if (is_path(text)) return finder.by_path(text);
    if (looks_inline(text)) return read_inline(text);
    return finder.by_name(text);
  } catch (const std::exception& e) {
    // std::filesystem may run out of memory or meet paths that it cannot convert.
    return failure(ErrorKind::io, fmt::format("the machine cannot be looked up: {}", e.what()), std::string{text});
  }
}

}  // namespace cachescape::machine
