#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <tuple>

#include "observe/imported/testing.hpp"

namespace cachescape::imported {
namespace {

constexpr auto read = AccessKind::read;
constexpr auto write = AccessKind::write;

TEST(Pinatrace, ReadsThePlainForm) {
  const Reading r = read_text(test_data("pinatrace/testdata/plain.out"), "pinatrace");
  ASSERT_FALSE(r.error);
  EXPECT_EQ(r.accesses, (std::vector<Access>{access(0x7ffd0b7c5fd8, 0, write, 0x7f8a7a4a3103),
                                             access(0x7ffd0b7c5fd0, 0, write, 0x7f8a7a4a3dd0),
                                             access(0x7f8a7a6c8fe8, 0, read, 0x7f8a7a4a3df3)}));
}

TEST(Pinatrace, ReadsSizesAndIgnoresValues) {
  const Reading r = read_text(test_data("pinatrace/testdata/sizes_and_values.out"), "pinatrace");
  ASSERT_FALSE(r.error);
  EXPECT_EQ(r.accesses, (std::vector<Access>{access(0x7ffd0b7c5fd8, 8, write, 0x7f8a7a4a3103),
                                             access(0x7ffd0b7c5fd0, 16, read, 0x7f8a7a4a3dd0),
                                             access(0x601040, 4, read, 0x7f8a7a4a3df3)}));
}

TEST(Pinatrace, RefusesBrokenLines) {
  for (const std::string_view broken : {"0x10 R 0x20", "0x10: X 0x20", "0x10: R", "0x10: R zz", "0x10: R 0x20 four",
                                        "0x10: R0x20", "R 0x20", "0x10: R 0x20 8z"}) {
    const Reading r = read_text("0x1: R 0x2\n" + std::string(broken) + "\n", "pinatrace");
    EXPECT_EQ(r.accesses, (std::vector<Access>{access(0x2, 0, read, 0x1)}));
    ASSERT_TRUE(r.error) << broken;
    EXPECT_EQ(r.error->kind, ErrorKind::malformed);
    EXPECT_EQ(r.error->where, "test:2");
  }
}

RC_GTEST_PROP(Pinatrace, ReadsBackWhatWasWritten,
              (const std::vector<std::tuple<std::uint64_t, std::uint32_t, std::uint64_t, bool>>& in)) {
  std::string text;
  std::vector<Access> expected;
  for (const auto& [address, size, pc, is_write] : in) {
    text += fmt::format("{:#x}: {} {:#18x} {:2}\n", pc, is_write ? 'W' : 'R', address, size);
    expected.push_back(access(address, size, is_write ? write : read, pc));
  }
  const Reading r = read_text(text, "pinatrace");
  RC_ASSERT(!r.error);
  RC_ASSERT(r.accesses == expected);
}

}  // namespace
}  // namespace cachescape::imported
