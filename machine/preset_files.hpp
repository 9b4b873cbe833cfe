// The files of machines/, built into the library. The build writes preset_files.cpp from them.
#pragma once

#include <span>
#include <string_view>

namespace cachescape::machine {

struct PresetFile {
  std::string_view name;  ///< "zen4.toml"
  std::string_view text;
};

/// By ascending name.
std::span<const PresetFile> preset_files();

}  // namespace cachescape::machine
