#include "product/report/number_text.hpp"

#include <array>
#include <string_view>

#include <fmt/format.h>

namespace cachescape::report {

std::string with_thousands(std::uint64_t n) {
  std::string digits = fmt::format("{}", n);
  for (std::size_t at = digits.size(); at > 3;) {
    at -= 3;
    digits.insert(at, 1, ',');
  }
  return digits;
}

std::string percent(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return "–";
  return fmt::format("{:.2f} %", 100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

std::string bytes_text(std::uint64_t bytes) {
  constexpr std::array units{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 1024 && unit + 1 < units.size()) {
    value /= 1024;
    ++unit;
  }
  std::string text = fmt::format("{:.2f}", value);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text + ' ' + units[unit];
}

std::string counted(std::uint64_t n, const char* noun) {
  const std::string_view word(noun);
  const char* const ending = n == 1 ? "" : word.ends_with('s') ? "es" : "s";
  return with_thousands(n) + ' ' + noun + ending;
}

}  // namespace cachescape::report
