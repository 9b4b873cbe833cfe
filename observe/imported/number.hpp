// Numbers in text traces. Most of the time of a text reader is spent here, so hexadecimal digits are read eight at
// a time, within a 64-bit word (Lamport, "Multiple byte processing with full-word instructions", CACM 1975).
//
// No function here looks for the end of the text: behind it stands a character that belongs to no number, and a word
// can be read from every character up to and including that one (bytes::LineReader::readable_behind).
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>

namespace cachescape::imported {

static_assert(std::endian::native == std::endian::little,
              "digits are taken from a word with the first in its low byte");

constexpr bool is_hex_digit(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_blank(char c) { return c == ' ' || c == '\t'; }

/// The hexadecimal digits at the start of eight characters: their value, and how many they are.
struct EightDigits {
  std::uint64_t value;
  unsigned count;
};

/// Precondition: eight bytes are readable at `text`.
inline EightDigits eight_hex_digits(const char* text) {
  constexpr std::uint64_t ones = 0x0101010101010101u;
  constexpr std::uint64_t tops = 0x80 * ones;
  std::uint64_t word;
  std::memcpy(&word, text, sizeof word);
  // Per byte, the top bit of `seven + k` says whether the low seven bits reach 0x80 - k.
  const std::uint64_t seven = word & ~tops;
  const std::uint64_t digit = (seven + (0x80 - '0') * ones) & ~(seven + (0x80 - ':') * ones);
  const std::uint64_t lower = seven | 0x20 * ones;
  const std::uint64_t letter = (lower + (0x80 - 'a') * ones) & ~(lower + (0x80 - 'g') * ones);
  const std::uint64_t others = (~(digit | letter) | word) & tops;
  const unsigned count = static_cast<unsigned>(std::countr_zero(others)) / 8;
  std::uint64_t v = (word & (0x0f * ones)) + 9 * ((word >> 6) & ones);
  v <<= (64 - 8 * count) % 64;  // leading zeros in the low bytes, which come first
  v = ((v << 4) | (v >> 8)) & 0x00ff00ff00ff00ffu;
  v = ((v << 8) | (v >> 16)) & 0x0000ffff0000ffffu;
  v = ((v << 16) | (v >> 32)) & 0x00000000ffffffffu;
  return {count == 0 ? 0 : v, count};
}

/// Takes 1 to 16 hexadecimal digits; false, with p anywhere, where there are none or more.
inline bool take_hex(const char*& p, std::uint64_t& value) {
  const EightDigits high = eight_hex_digits(p);
  p += high.count;
  value = high.value;
  if (high.count < 8) return high.count != 0;
  const EightDigits low = eight_hex_digits(p);
  p += low.count;
  value = (value << (4 * low.count)) | low.value;
  return !is_hex_digit(*p);
}

/// Passes over "0x" or "0X" where a hexadecimal digit follows it.
inline bool skip_hex_prefix(const char*& p) {
  if (p[0] != '0' || (p[1] | 0x20) != 'x' || !is_hex_digit(p[2])) return false;
  p += 2;
  return true;
}

/// Takes decimal digits whose value is at most `largest`; false, with p anywhere, where there are none or the
/// value is larger.
inline bool take_decimal(const char*& p, std::uint64_t& value,
                         std::uint64_t largest = std::numeric_limits<std::uint64_t>::max()) {
  const char* const start = p;
  value = 0;
  for (; is_digit(*p); ++p) {
    const auto digit = static_cast<std::uint64_t>(*p - '0');
    if (__builtin_mul_overflow(value, 10, &value) || __builtin_add_overflow(value, digit, &value)) return false;
  }
  return p != start && value <= largest;
}

inline void skip_blanks(const char*& p) {
  while (is_blank(*p)) ++p;
}

}  // namespace cachescape::imported
