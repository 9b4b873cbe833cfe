#include "observe/imported/number.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cctype>
#include <string>

namespace cachescape::imported {
namespace {

TEST(Number, CountsHexDigitsOfEveryByteAtEveryPlace) {
  for (int place = 0; place < 8; ++place) {
    for (int c = 0; c < 256; ++c) {
      std::string text = "1aB2cD3e";
      text[static_cast<std::size_t>(place)] = static_cast<char>(c);
      const bool digit = c < 128 && std::isxdigit(c) != 0;
      const EightDigits found = eight_hex_digits(text.data());
      ASSERT_EQ(found.count, digit ? 8u : static_cast<unsigned>(place)) << c << " at " << place;
      const std::string digits = text.substr(0, found.count);
      ASSERT_EQ(found.value, digits.empty() ? 0 : std::stoull(digits, nullptr, 16)) << text;
    }
  }
}

TEST(Number, RefusesMoreThanSixteenHexDigits) {
  for (const std::string tail : {"\n       ", " and more text"}) {
    for (std::size_t length = 0; length <= 40; ++length) {
      const std::string text = std::string(length, 'f') + tail;
      const char* p = text.data();
      std::uint64_t value = 0;
      const bool taken = take_hex(p, value);
      EXPECT_EQ(taken, length >= 1 && length <= 16) << length;
      if (taken) {
        EXPECT_EQ(value, ~std::uint64_t{0} >> (64 - 4 * length));
        EXPECT_EQ(p, text.data() + length);
      }
    }
  }
}

TEST(Number, RefusesDecimalsBeyondTheLimit) {
  auto take = [](const std::string& digits, std::uint64_t largest, std::uint64_t& value) {
    const std::string text = digits + "\n";
    const char* p = text.data();
    return take_decimal(p, value, largest) && p == text.data() + digits.size();
  };
  std::uint64_t value = 0;
  EXPECT_TRUE(take("18446744073709551615", ~std::uint64_t{0}, value));
  EXPECT_EQ(value, ~std::uint64_t{0});
  EXPECT_FALSE(take("18446744073709551616", ~std::uint64_t{0}, value));
  EXPECT_FALSE(take("99999999999999999999999", ~std::uint64_t{0}, value));
  EXPECT_TRUE(take("4294967295", 0xffffffff, value));
  EXPECT_FALSE(take("4294967296", 0xffffffff, value));
  EXPECT_TRUE(take("0007", 7, value));
  EXPECT_FALSE(take("8", 7, value));
  EXPECT_FALSE(take("", 7, value));
}

RC_GTEST_PROP(Number, ReadsBackEveryHexNumber, (std::uint64_t number, bool upper)) {
  const std::string digits = upper ? fmt::format("{:X}", number) : fmt::format("{:x}", number);
  const std::string text = digits + ",8\n00000";
  const char* p = text.data();
  std::uint64_t value = 0;
  RC_ASSERT(take_hex(p, value));
  RC_ASSERT(value == number);
  RC_ASSERT(p == text.data() + digits.size());
}

}  // namespace
}  // namespace cachescape::imported
