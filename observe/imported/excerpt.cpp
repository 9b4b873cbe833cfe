#include "observe/imported/excerpt.hpp"

#include <fmt/format.h>

#include <iterator>

namespace cachescape::imported {

std::string excerpt(std::string_view text) {
  constexpr std::size_t longest = 60;
  std::string out = "\"";
  for (const char c : text.substr(0, longest)) {
    if (c == '\t') {
      out += "\\t";
    } else if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c >= ' ' && c <= '~') {
      out += c;
    } else {
      fmt::format_to(std::back_inserter(out), "\\x{:02x}", static_cast<unsigned char>(c));
    }
  }
  out += text.size() > longest ? "…\"" : "\"";
  return out;
}

}  // namespace cachescape::imported
