#include "cli/host.hpp"

#include <unistd.h>

namespace cachescape::cli {

std::string host_name() {
  std::string name(256, '\0');
  if (gethostname(name.data(), name.size() - 1) != 0) return "unknown";
  name.resize(name.find('\0'));
  return name;
}

}  // namespace cachescape::cli
