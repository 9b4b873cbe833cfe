#include "cli/count_text.hpp"

#include <cctype>
#include <charconv>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

namespace cachescape::cli {

Result<std::uint64_t> parse_count(const std::string& text, const std::string& option) {
  constexpr std::string_view units = "KMGT";
  std::string_view digits = text;
  double factor = 1;
  if (!digits.empty()) {
    const auto unit = units.find(static_cast<char>(std::toupper(static_cast<unsigned char>(digits.back()))));
    if (unit != std::string_view::npos) {
      factor = std::pow(1000.0, static_cast<double>(unit + 1));
      digits.remove_suffix(1);
    }
  }
  double value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  value *= factor;
  if (error != std::errc{} || end != digits.data() + digits.size() || !(value >= 1 && value <= 0x1p62)) {
    return failure(ErrorKind::usage, fmt::format("“{}” is not a count above 0", text), option,
                   "such as 1000000, 10M or 1.5G");
  }
  return static_cast<std::uint64_t>(value);
}

}  // namespace cachescape::cli
