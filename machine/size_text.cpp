#include "machine/size_text.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <optional>
#include <utility>

namespace cachescape::machine {

namespace {

struct Unit {
  char letter;
  unsigned shift;
};
constexpr std::array units{Unit{'T', 40}, Unit{'G', 30}, Unit{'M', 20}, Unit{'K', 10}};

constexpr unsigned max_decimals = 6;  // 10^6 · 2^40 still fits into 64 bits

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr char upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

std::unexpected<Error> not_a_size(std::string_view text, std::string_view why) {
  return failure(ErrorKind::malformed, fmt::format("\"{}\" is not a size: {}", text, why), {},
                 "write a number of bytes, or a number with K, M, G or T (powers of 1024): 65536, 32K, 1.5MiB");
}

/// The power of two that a unit stands for, or nothing where it is unknown.
std::optional<unsigned> shift_of(std::string_view unit) {
  if (unit.empty() || (unit.size() == 1 && upper(unit[0]) == 'B')) return 0;
  for (const Unit& u : units) {
    if (upper(unit[0]) != u.letter) continue;
    const std::string_view rest = unit.substr(1);
    if (rest.empty()) return u.shift;
    if (rest.size() == 1 && upper(rest[0]) == 'B') return u.shift;
    if (rest.size() == 2 && upper(rest[0]) == 'I' && upper(rest[1]) == 'B') return u.shift;
  }
  return std::nullopt;
}

struct Shown {
  std::string number;
  const Unit* unit = nullptr;  // none: plain bytes
};

Shown shown(std::uint64_t bytes) {
  for (const Unit& u : units) {
    const std::uint64_t whole = bytes >> u.shift;
    if (whole == 0) continue;
    const std::uint64_t rest = bytes & ((std::uint64_t{1} << u.shift) - 1);
    // Three decimals of a binary unit are exact only for eighths.
    const unsigned eighth = u.shift - 3;
    if ((rest & ((std::uint64_t{1} << eighth) - 1)) != 0) continue;
    std::string number = fmt::format("{}.{:03}", whole, (rest >> eighth) * 125);
    number.erase(number.find_last_not_of('0') + 1);
    if (number.back() == '.') number.pop_back();
    return {std::move(number), &u};
  }
  return {fmt::format("{}", bytes), nullptr};
}

}  // namespace

Result<Bytes> parse_size(std::string_view text) {
  std::size_t at = 0;
  std::uint64_t whole = 0;
  if (text.empty() || !is_digit(text[0])) return not_a_size(text, "it does not begin with a digit");
  for (; at < text.size() && is_digit(text[at]); ++at) {
    const auto digit = static_cast<std::uint64_t>(text[at] - '0');
    if (__builtin_mul_overflow(whole, std::uint64_t{10}, &whole) || __builtin_add_overflow(whole, digit, &whole)) {
      return not_a_size(text, "it is too large");
    }
  }
  std::uint64_t fraction = 0;
  std::uint64_t scale = 1;
  if (at < text.size() && text[at] == '.') {
    const std::size_t first = ++at;
    while (at < text.size() && is_digit(text[at])) ++at;
    std::string_view decimals = text.substr(first, at - first);
    if (decimals.empty()) return not_a_size(text, "there is no digit after the point");
    decimals = decimals.substr(0, decimals.find_last_not_of('0') + 1);
    if (decimals.size() > max_decimals) return not_a_size(text, "it has more than six decimals");
    for (const char c : decimals) {
      fraction = fraction * 10 + static_cast<std::uint64_t>(c - '0');
      scale *= 10;
    }
  }
  while (at < text.size() && text[at] == ' ') ++at;
  const std::string_view unit = text.substr(at);
  const std::optional<unsigned> shift = shift_of(unit);
  if (!shift) return not_a_size(text, fmt::format("there is no unit \"{}\"", unit));

  const std::uint64_t factor = std::uint64_t{1} << *shift;
  if ((fraction * factor) % scale != 0) return not_a_size(text, "it is not a whole number of bytes");
  std::uint64_t bytes = 0;
  if (__builtin_mul_overflow(whole, factor, &bytes) ||
      __builtin_add_overflow(bytes, fraction * factor / scale, &bytes)) {
    return not_a_size(text, "it is too large");
  }
  return Bytes{bytes};
}

std::string print_size(Bytes size) {
  const Shown s = shown(size.value);
  return s.unit == nullptr ? s.number + " B" : fmt::format("{} {}iB", s.number, s.unit->letter);
}

std::string print_size_tersely(Bytes size) {
  const Shown s = shown(size.value);
  return s.unit == nullptr ? s.number : fmt::format("{}{}", s.number, s.unit->letter);
}

}  // namespace cachescape::machine
