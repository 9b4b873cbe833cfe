#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <tuple>

#include "observe/imported/testing.hpp"

namespace cachescape::imported {
namespace {

constexpr auto read = AccessKind::read;
constexpr auto write = AccessKind::write;

TEST(Din, ReadsTheClassicForm) {
  const Reading r = read_text(test_data("din/testdata/classic.din"), "din");
  ASSERT_FALSE(r.error);
  EXPECT_EQ(r.accesses,
            (std::vector<Access>{access(0x7fff0010, 0, read, 0x400500), access(0x7fff0018, 0, write, 0x400500),
                                 access(0xffffffffffffffff, 0, read, 0x400504), access(0x1000, 0, read, 0x400504),
                                 access(0x5000, 8, read, 0x400504), access(0x5008, 0, write, 0x400504)}));
  EXPECT_EQ(r.status.instructions, 2u);
  EXPECT_EQ(r.status.skipped_records, 2u);
  EXPECT_EQ(r.status.bytes_read, r.status.bytes_total);
}

TEST(Din, ReadsTheExtendedForm) {
  const Reading r = read_text(test_data("din/testdata/extended.din"), "din");
  ASSERT_FALSE(r.error);
  EXPECT_EQ(r.accesses,
            (std::vector<Access>{access(0x7fff0010, 8, read, 0x400500), access(0x7fff0018, 16, write, 0x400500),
                                 access(0x1000, 64, read, 0x400504), access(0x3000, 0, read, 0x400504)}));
  EXPECT_EQ(r.status.instructions, 2u);
  EXPECT_EQ(r.status.skipped_records, 2u);
}

TEST(Din, DeliversFetchesAsReadsWhereAsked) {
  const Reading r = read_text("i 400500 4\nr 10 8\n", "din", fetches_as_reads());
  ASSERT_FALSE(r.error);
  EXPECT_EQ(r.accesses, (std::vector<Access>{access(0x400500, 4, read, 0x400500), access(0x10, 8, read, 0x400500)}));
  EXPECT_EQ(r.status.instructions, 1u);
}

TEST(Din, StopsAtAMalformedLineAndNamesIt) {
  const Reading r = read_text("0 10\n0 2g\n0 30\n", "din");
  EXPECT_EQ(r.accesses, (std::vector<Access>{access(0x10, 0, read)}));
  ASSERT_TRUE(r.error);
  EXPECT_EQ(r.error->kind, ErrorKind::malformed);
  EXPECT_EQ(r.error->where, "test:2");
  EXPECT_EQ(
      r.error->what,
      "the address is not a hexadecimal number of at most 64 bits in \"0 2g\"; expected \"label address\" or \"label "
      "address size\"");
  EXPECT_EQ(r.error->hint, "read with --lenient to pass over such records");
}

TEST(Din, CallsACutLastLineTruncated) {
  const Reading r = read_text("0 10\n1", "din");
  ASSERT_TRUE(r.error);
  EXPECT_EQ(r.error->kind, ErrorKind::truncated);
  EXPECT_EQ(r.error->where, "test:2");
}

TEST(Din, PassesOverMalformedLinesLeniently) {
  const Reading r = read_text("0 10\n0 2g\nx 1\n0 11112222333344445\nr 5 100000000\n9 1\n1 30\n", "din", lenient());
  ASSERT_FALSE(r.error);
  EXPECT_EQ(r.accesses, (std::vector<Access>{access(0x10, 0, read), access(0x30, 0, write)}));
  EXPECT_EQ(r.status.skipped_records, 5u);
}

RC_GTEST_PROP(Din, ReadsBackWhatWasWritten, (const std::vector<std::tuple<std::uint64_t, std::uint32_t, bool>>& in)) {
  std::string text;
  std::vector<Access> expected;
  for (const auto& [address, size, is_write] : in) {
    text += fmt::format("{} {:x} {:x}\n", is_write ? 'w' : 'r', address, size);
    expected.push_back(access(address, size, is_write ? write : read));
  }
  const Reading r = read_text(text, "din");
  RC_ASSERT(!r.error);
  RC_ASSERT(r.accesses == expected);
}

}  // namespace
}  // namespace cachescape::imported
