#include "machine/size_text.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdint>
#include <limits>
#include <utility>

namespace cachescape::machine {
namespace {

TEST(SizeText, ReadsEveryWayOfWritingASize) {
  const std::pair<const char*, std::uint64_t> sizes[] = {
      {"65536", 65536},
      {"0", 0},
      {"512B", 512},
      {"512 b", 512},
      {"32K", 32768},
      {"32k", 32768},
      {"32KB", 32768},
      {"32KiB", 32768},
      {"32kib", 32768},
      {"48 KB", 49152},
      {"1MiB", 1048576},
      {"1.5M", 1572864},
      {"1.25 MiB", 1310720},
      {"0.5K", 512},
      {"1.50000000K", 1536},
      {"3G", std::uint64_t{3} << 30},
      {"2TiB", std::uint64_t{2} << 40},
      {"18446744073709551615", std::numeric_limits<std::uint64_t>::max()},
  };
  for (const auto& [text, bytes] : sizes) {
    const auto size = parse_size(text);
    ASSERT_TRUE(size) << text << ": " << size.error().what;
    EXPECT_EQ(size->value, bytes) << text;
  }
}

TEST(SizeText, SaysWhyATextIsNotASize) {
  const std::pair<const char*, const char*> errors[] = {
      {"", R"("" is not a size: it does not begin with a digit)"},
      {"K", R"("K" is not a size: it does not begin with a digit)"},
      {"-1K", R"("-1K" is not a size: it does not begin with a digit)"},
      {"32Q", R"("32Q" is not a size: there is no unit "Q")"},
      {"32Ki", R"("32Ki" is not a size: there is no unit "Ki")"},
      {"32K ", R"("32K " is not a size: there is no unit "K ")"},
      {"1.K", R"("1.K" is not a size: there is no digit after the point)"},
      {"1.1K", R"("1.1K" is not a size: it is not a whole number of bytes)"},
      {"1.5", R"("1.5" is not a size: it is not a whole number of bytes)"},
      {"1.0000001M", R"("1.0000001M" is not a size: it has more than six decimals)"},
      {"18446744073709551616", R"("18446744073709551616" is not a size: it is too large)"},
      {"16777216T", R"("16777216T" is not a size: it is too large)"},
  };
  for (const auto& [text, what] : errors) {
    const auto size = parse_size(text);
    ASSERT_FALSE(size) << text;
    EXPECT_EQ(size.error().what, what);
    EXPECT_EQ(size.error().kind, ErrorKind::malformed);
    EXPECT_EQ(size.error().hint,
              "write a number of bytes, or a number with K, M, G or T (powers of 1024): 65536, 32K, 1.5MiB");
  }
}

TEST(SizeText, PrintsTheLargestExactUnit) {
  const std::pair<std::uint64_t, std::pair<const char*, const char*>> sizes[] = {
      {0, {"0 B", "0"}},
      {1000, {"1000 B", "1000"}},
      {1024, {"1 KiB", "1K"}},
      {1025, {"1025 B", "1025"}},
      {1152, {"1.125 KiB", "1.125K"}},
      {32768, {"32 KiB", "32K"}},
      {366592, {"358 KiB", "358K"}},
      {1310720, {"1.25 MiB", "1.25M"}},
      {1572864, {"1.5 MiB", "1.5M"}},
      {2099200, {"2050 KiB", "2050K"}},
      {28835840, {"27.5 MiB", "27.5M"}},
      {std::uint64_t{1} << 40, {"1 TiB", "1T"}},
      {std::numeric_limits<std::uint64_t>::max(), {"18446744073709551615 B", "18446744073709551615"}},
  };
  for (const auto& [bytes, texts] : sizes) {
    EXPECT_EQ(print_size(Bytes{bytes}), texts.first);
    EXPECT_EQ(print_size_tersely(Bytes{bytes}), texts.second);
  }
}

RC_GTEST_PROP(SizeText, PrintingLosesNothing, (std::uint64_t bits, std::uint8_t shift)) {
  const Bytes size{bits << (shift % 64)};
  RC_ASSERT(*parse_size(print_size(size)) == size);
  RC_ASSERT(*parse_size(print_size_tersely(size)) == size);
}

}  // namespace
}  // namespace cachescape::machine
