#include "cli/processor_time.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>

#include <fmt/format.h>
#include <unistd.h>

namespace cachescape::cli {

ProcessorTime processor_time(int process) {
  std::ifstream file(fmt::format("/proc/{}/stat", process));
  std::string text;
  std::getline(file, text, '\0');
  // The name in parentheses may hold anything.
  std::istringstream rest(text.substr(std::min(text.rfind(')') + 1, text.size())));
  std::string skipped;
  for (int field = 3; field < 14; ++field) rest >> skipped;
  double user = 0, system = 0, childrens_user = 0, childrens_system = 0;
  rest >> user >> system >> childrens_user >> childrens_system;
  const auto ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
  return {(user + system) / ticks, (user + system + childrens_user + childrens_system) / ticks};
}

}  // namespace cachescape::cli
