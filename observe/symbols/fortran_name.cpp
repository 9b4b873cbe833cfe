#include "observe/symbols/fortran_name.hpp"

#include <algorithm>

namespace cachescape::symbols {
namespace {

// Modules, submodules, hosts, procedures and variables.
constexpr std::string_view kinds = "MSFPE";
constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyz0123456789_";

}  // namespace

std::optional<std::string> fortran_name(std::string_view linkage_name) {
  if (!linkage_name.starts_with("_Q")) return std::nullopt;
  // What the compiler has made of a procedure, the body of a parallel loop for one, has a suffix.
  const std::string_view suffix = linkage_name.substr(std::min(linkage_name.find('.'), linkage_name.size()));
  if (linkage_name.substr(0, linkage_name.size() - suffix.size()) == "_QQmain")
    return std::string("main program").append(suffix);
  std::string text;
  for (std::string_view rest = linkage_name.substr(2, linkage_name.size() - suffix.size() - 2); !rest.empty();) {
    if (kinds.find(rest.front()) == kinds.npos) return std::nullopt;
    rest.remove_prefix(1);
    const std::string_view name = rest.substr(0, rest.find_first_not_of(letters));
    rest.remove_prefix(name.size());
    // The main program is a host without a name.
    if (name.empty()) continue;
    if (!text.empty()) text += "::";
    text += name;
  }
  if (text.empty()) return std::nullopt;
  return text.append(suffix);
}

}  // namespace cachescape::symbols
