#include "cli/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace cachescape::cli {
namespace {

std::string_view environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::string_view() : value;
}

}  // namespace

std::size_t terminal_width() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  const unsigned long columns = std::strtoul(std::string(environment("COLUMNS")).c_str(), nullptr, 10);
  return columns > 0 && columns < 1000 ? columns : 80;
}

report::Colours terminal_colours() {
  if (isatty(STDOUT_FILENO) != 1 || !environment("NO_COLOR").empty() || environment("TERM") == "dumb")
    return report::Colours::none;
  const std::string_view depth = environment("COLORTERM");
  return depth == "truecolor" || depth == "24bit" ? report::Colours::truecolor : report::Colours::ansi256;
}

report::Glyphs terminal_glyphs() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const std::string_view value = environment(name);
    if (!value.empty())
      return value.find("UTF-8") != value.npos || value.find("utf8") != value.npos ? report::Glyphs::unicode
                                                                                   : report::Glyphs::ascii;
  }
  return report::Glyphs::ascii;
}

}  // namespace cachescape::cli
