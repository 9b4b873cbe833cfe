#include "product/report/fitted_text.hpp"

#include <algorithm>

#include "product/report/table.hpp"

namespace cachescape::report {
namespace {

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

/// The byte at which the column `n` begins.
std::size_t byte_of_column(std::string_view utf8, std::size_t n) {
  std::size_t columns = 0;
  for (std::size_t i = 0; i < utf8.size(); ++i) {
    if (continues(utf8[i])) continue;
    if (columns == n) return i;
    ++columns;
  }
  return utf8.size();
}

}  // namespace

std::string shortened(std::string_view utf8, std::size_t width) {
  const std::size_t columns = display_width(std::string(utf8));
  if (columns <= width) return std::string(utf8);
  const std::size_t tail = (width - 1) / 2;
  const std::size_t head = width - 1 - tail;
  std::string text(utf8.substr(0, byte_of_column(utf8, head)));
  text += "…";
  text += utf8.substr(byte_of_column(utf8, columns - tail));
  return text;
}

std::string wrapped(std::string_view text, std::size_t width, std::size_t indent) {
  std::string out;
  std::string line;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string word(text.substr(at, end - at));
    at = end + 1;
    if (!line.empty() && display_width(line) + 1 + display_width(word) > width) {
      out += line + '\n';
      line = std::string(indent, ' ') + word;
    } else {
      line += (line.empty() ? "" : " ") + word;
    }
  }
  return out + line + '\n';
}

}  // namespace cachescape::report
