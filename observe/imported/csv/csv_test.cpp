#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <tuple>

#include "observe/imported/testing.hpp"

namespace cachescape::imported {
namespace {

constexpr auto read = AccessKind::read;
constexpr auto write = AccessKind::write;
constexpr auto modify = AccessKind::modify;

ImportOptions columns(std::string names) {
  ImportOptions options;
  options.columns = std::move(names);
  return options;
}

TEST(Csv, ReadsNamedColumns) {
  const Reading r = read_text(test_data("csv/testdata/crlf.csv"), "csv");
  ASSERT_FALSE(r.error);
  EXPECT_EQ(
      r.accesses,
      (std::vector<Access>{access(0x7fff0010, 8, read, 0x400500, 1), access(4096, 4, write, 0x400504, 2),
                           access(0x1000, 16, modify, 0x400508, 0xffffffff), access(0x2000, 0, write, 0, 0xfffffffe)}));
}

TEST(Csv, SortsRowsByTimeAndKeepsTheOrderOfEqualTimes) {
  const Reading r = read_text(test_data("csv/testdata/unsorted.tsv"), "tsv");
  ASSERT_FALSE(r.error);
  EXPECT_EQ(r.accesses, (std::vector<Access>{access(0x10, 0, write, 0, 1), access(0x11, 0, read, 0, 2),
                                             access(0x20, 0, write, 0, 1), access(0x30, 0, read, 0, 1),
                                             access(0x40, 0, read, 0, 1)}));
}

TEST(Csv, RefusesARowThatIsTooLate) {
  std::string text = "time,address\n";
  const std::uint64_t window = std::uint64_t{1} << 20;
  for (std::uint64_t i = 0; i <= window + 1; ++i) text += fmt::format("{},{}\n", 10 + i, i);
  text += "10,7\n";
  const Reading r = read_text(text, "csv");
  EXPECT_EQ(r.accesses.size(), window + 2);
  ASSERT_TRUE(r.error);
  EXPECT_EQ(r.error->where, fmt::format("test:{}", window + 4));
  EXPECT_EQ(r.error->what, "the row is more than 1048576 rows out of order in \"10,7\"; expected rows sorted by time");
  EXPECT_EQ(r.error->hint, "sort the file by its time column");

  const Reading forgiving = read_text(text, "csv", lenient());
  EXPECT_FALSE(forgiving.error);
  EXPECT_EQ(forgiving.status.skipped_records, 1u);
}

TEST(Csv, TakesColumnNamesFromTheOptions) {
  const Reading r = read_text("W;0x10;extra;8\nR;32;;4\n", "", columns("op,addr,note,size"));
  ASSERT_FALSE(r.error);
  EXPECT_EQ(r.accesses, (std::vector<Access>{access(0x10, 8, write), access(32, 4, read)}));
}

TEST(Csv, RefusesColumnNamesThatMakeNoSense) {
  const Reading twice = read_text("1,2\n", "csv", columns("address,addr"));
  ASSERT_TRUE(twice.error);
  EXPECT_EQ(twice.error->kind, ErrorKind::usage);
  const Reading none = read_text("1,2\n", "csv", columns("size,kind"));
  ASSERT_TRUE(none.error);
  EXPECT_EQ(none.error->kind, ErrorKind::usage);
}

TEST(Csv, AsksForColumnNamesWhereTheFirstRowHasNone) {
  const Reading r = read_text("0x10,8,R\n", "csv");
  ASSERT_TRUE(r.error);
  EXPECT_EQ(r.error->kind, ErrorKind::malformed);
  EXPECT_EQ(r.error->where, "test:1");
  EXPECT_EQ(r.error->hint, "where the file has no row of names, give them with --columns address,size,…");
}

TEST(Csv, RefusesBrokenRows) {
  for (const std::string_view broken :
       {"7fff,8,R", ",8,R", "0x10,-1,R", "0x10,8,X", "0x10,8", "0x10,8,R x", "0x10 8,R", "\"0x10,8,R",
        "0x10,4294967296,R", "18446744073709551616,8,R", "0x10,8,", "\"0x10 x\",8,R"}) {
    const Reading r = read_text("address,size,kind\n1,2,R\n" + std::string(broken) + "\n", "csv");
    EXPECT_EQ(r.accesses, (std::vector<Access>{access(1, 2, read)}));
    ASSERT_TRUE(r.error) << broken;
    EXPECT_EQ(r.error->kind, ErrorKind::malformed);
    EXPECT_EQ(r.error->where, "test:3");
  }
}

TEST(Csv, PassesOverBrokenRowsLeniently) {
  const Reading r = read_text("address\n1\nx\n2\n" + std::string(70'000, '3') + "\n4", "csv", lenient());
  ASSERT_FALSE(r.error);
  EXPECT_EQ(r.accesses, (std::vector<Access>{access(1, 0, read), access(2, 0, read), access(4, 0, read)}));
  EXPECT_EQ(r.status.skipped_records, 2u);
}

TEST(Csv, DeliversWaitingRowsBeforeTheError) {
  const Reading r = read_text("time,address\n2,20\n1,10\nsoon,30\n", "csv");
  EXPECT_EQ(r.accesses, (std::vector<Access>{access(10, 0, read), access(20, 0, read)}));
  ASSERT_TRUE(r.error);
  EXPECT_EQ(r.error->where, "test:4");
}

TEST(Csv, KeepsThreadsApart) {
  const Reading r =
      read_text("address,thread\n1,2147483647\n1,2147483648\n1,-1\n1,18446744073709551615\n1,-0\n1,-1\n", "csv");
  ASSERT_FALSE(r.error);
  std::vector<std::uint32_t> threads;
  for (const Access& a : r.accesses) threads.push_back(a.thread.value);
  EXPECT_EQ(threads, (std::vector<std::uint32_t>{2147483647, 0xffffffff, 0xfffffffe, 0xfffffffd, 0, 0xfffffffe}));
}

TEST(Csv, PassesAByteOrderMark) {
  const Reading r = read_text("\xef\xbb\xbf\"Address\",size\n0xA,1\n", "");
  ASSERT_FALSE(r.error);
  EXPECT_EQ(r.accesses, (std::vector<Access>{access(10, 1, read)}));
}

RC_GTEST_PROP(Csv, ReadsBackWhatWasWritten,
              (const std::vector<std::tuple<std::uint64_t, std::uint32_t, std::uint64_t, std::uint8_t>>& in)) {
  std::string text = "pc\tkind\tsize\tthread\taddress\n";
  std::vector<Access> expected;
  for (const auto& [address, size, pc, selector] : in) {
    const auto kind = static_cast<AccessKind>(selector % 3);
    text += fmt::format("{:#x}\t{}\t{}\t{}\t{}\n", pc, "RWM"[selector % 3], size, selector, address);
    expected.push_back(access(address, size, kind, pc, selector));
  }
  const Reading r = read_text(text, "csv");
  RC_ASSERT(!r.error);
  RC_ASSERT(r.accesses == expected);
}

RC_GTEST_PROP(Csv, SortsStably, (const std::vector<std::pair<std::uint8_t, std::uint32_t>>& in)) {
  std::string text = "time,address\n";
  for (const auto& [time, address] : in) text += fmt::format("{}.{:02},{}\n", time / 100, time % 100, address);
  auto sorted = in;
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<Access> expected;
  for (const auto& row : sorted) expected.push_back(access(row.second, 0, read));
  const Reading r = read_text(text, "csv");
  RC_ASSERT(!r.error);
  RC_ASSERT(r.accesses == expected);
}

}  // namespace
}  // namespace cachescape::imported
