#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <cstring>
#include <tuple>

#include "observe/imported/testing.hpp"

namespace cachescape::imported {
namespace {

constexpr auto read = AccessKind::read;
constexpr auto write = AccessKind::write;

TEST(Champsim, ReadsSourcesThenDestinations) {
  const Reading r = read_text(test_data("champsim/testdata/loop.champsim"), "champsim");
  ASSERT_FALSE(r.error);
  EXPECT_EQ(r.accesses,
            (std::vector<Access>{access(0x7fff0010, 0, read, 0x400500), access(0x7fff0018, 0, write, 0x400504),
                                 access(0x601000, 0, read, 0x400508), access(0x603000, 0, read, 0x400508),
                                 access(0x604000, 0, read, 0x400508), access(0x601000, 0, write, 0x400508),
                                 access(0x602000, 0, write, 0x400508), access(0x7fff0010, 0, read, 0x400500),
                                 access(0x7fff0018, 0, write, 0x400504)}));
  EXPECT_EQ(r.status.instructions, 6u);
}

TEST(Champsim, DeliversFetchesAsReadsWhereAsked) {
  const Reading r = read_text(test_data("champsim/testdata/loop.champsim"), "champsim", fetches_as_reads());
  ASSERT_FALSE(r.error);
  ASSERT_EQ(r.accesses.size(), 15u);
  EXPECT_EQ(r.accesses[0], access(0x400500, 0, read, 0x400500));
  EXPECT_EQ(r.accesses[1], access(0x7fff0010, 0, read, 0x400500));
}

TEST(Champsim, ReportsAPartialInstruction) {
  const std::string data = test_data("champsim/testdata/loop.champsim").substr(0, 100);
  const Reading r = read_text(data, "champsim");
  EXPECT_EQ(r.accesses.size(), 1u);
  ASSERT_TRUE(r.error);
  EXPECT_EQ(r.error->kind, ErrorKind::truncated);
  EXPECT_EQ(r.error->where, "test, byte 64");
  EXPECT_EQ(r.error->what, "the input ends inside an instruction: 36 bytes are left where 64 were expected");

  const Reading forgiving = read_text(data, "champsim", lenient());
  EXPECT_FALSE(forgiving.error);
  EXPECT_EQ(forgiving.status.skipped_records, 1u);
}

TEST(Champsim, RefusesImpossibleBranchFlags) {
  std::string data = test_data("champsim/testdata/loop.champsim");
  data[64 + 8] = 7;
  const Reading r = read_text(data, "champsim");
  ASSERT_TRUE(r.error);
  EXPECT_EQ(r.error->kind, ErrorKind::malformed);
  EXPECT_EQ(r.error->where, "test, byte 64");
  EXPECT_EQ(r.error->what, "the branch flags of the instruction are 7 and 0; expected 0 or 1");
  const Reading forgiving = read_text(data, "champsim", lenient());
  EXPECT_EQ(forgiving.accesses.size(), 8u);
  EXPECT_EQ(forgiving.status.skipped_records, 1u);
}

RC_GTEST_PROP(Champsim, ReadsBackWhatWasWritten,
              (const std::vector<std::tuple<std::uint64_t, std::array<std::uint64_t, 6>>>& in)) {
  std::string data;
  std::vector<Access> expected;
  for (const auto& [ip, memory] : in) {
    std::array<char, 64> record{};
    std::memcpy(record.data(), &ip, 8);
    std::memcpy(record.data() + 16, memory.data(), 48);
    data.append(record.data(), record.size());
    for (const std::size_t i : {2u, 3u, 4u, 5u, 0u, 1u}) {
      if (memory[i] != 0) expected.push_back(access(memory[i], 0, i < 2 ? write : read, ip));
    }
  }
  const Reading r = read_text(data, "champsim");
  RC_ASSERT(!r.error);
  RC_ASSERT(r.accesses == expected);
}

}  // namespace
}  // namespace cachescape::imported
