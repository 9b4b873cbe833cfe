#include "machine/summary.hpp"

#include <fmt/format.h>

#include "machine/size_text.hpp"

namespace cachescape::machine {

std::string summarise(const Machine& machine) {
  std::string text;
  for (const Level& l : machine.levels) {
    if (!text.empty()) text += ", ";
    text += fmt::format("{} {} ", l.name, print_size(l.size()));
    text += l.sets == 1 && l.ways > 1 ? "fully associative" : fmt::format("{}-way", l.ways);
    if (l.line != LineSize{6}) text += fmt::format(" ({} B lines)", l.line.bytes().value);
    if (l.shared_by == shared_by_all) {
      text += " shared by all";
    } else if (l.shared_by > 1) {
      text += fmt::format(" shared by {}", l.shared_by);
    }
  }
  return text;
}

}  // namespace cachescape::machine
