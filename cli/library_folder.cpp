#include "cli/library_folder.hpp"

#include <cstdlib>
#include <sstream>

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

std::optional<std::string> path_of(const std::string& program) {
  if (program.find('/') != std::string::npos) return program;
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "/usr/local/bin:/usr/bin:/bin" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    std::string candidate = (folder.empty() ? "." : folder) + "/" + program;
    if (access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  return std::nullopt;
}

}  // namespace cachescape::cli
