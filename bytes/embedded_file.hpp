// Files that travel inside a library, so that no installed tree is needed to use them. The build writes functions that
// list them (cmake/Embed.cmake).
#pragma once

#include <span>
#include <string_view>

namespace cachescape::bytes {

struct EmbeddedFile {
  std::string_view name;  ///< "zen4.toml"
  std::string_view text;
};

/// The text of the file of this name; empty where there is none.
constexpr std::string_view text_of(std::span<const EmbeddedFile> files, std::string_view name) {
  for (const EmbeddedFile& file : files) {
    if (file.name == name) return file.text;
  }
  return {};
}

}  // namespace cachescape::bytes
