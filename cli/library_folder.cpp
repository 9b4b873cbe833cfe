#include "cli/library_folder.hpp"

#include <unistd.h>

namespace cachescape::cli {

std::string own_folder() {
  std::string path(4096, '\0');
  const ssize_t n = readlink("/proc/self/exe", path.data(), path.size());
  path.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
  return path.substr(0, path.rfind('/'));
}

std::optional<std::string> library_folder(const std::string& file) {
  for (const char* below : {"/lib/cachescape", "/../lib/cachescape"}) {
    const std::string folder = own_folder() + below;
    if (access((folder + "/" + file).c_str(), R_OK) == 0) return folder;
  }
  return std::nullopt;
}

}  // namespace cachescape::cli
