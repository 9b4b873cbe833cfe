#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <tuple>

#include "observe/imported/testing.hpp"

namespace cachescape::imported {
namespace {

constexpr auto read = AccessKind::read;
constexpr auto write = AccessKind::write;
constexpr auto modify = AccessKind::modify;

TEST(Lackey, TellsTheTraceFromTheProgramsOutput) {
  const Reading r = read_text(test_data("lackey/testdata/ls.lackey"), "lackey");
  ASSERT_FALSE(r.error);
  EXPECT_EQ(r.accesses,
            (std::vector<Access>{access(0x1fff000708, 8, write, 0x0401ab73), access(0x1fff000700, 16, read, 0x0401b770),
                                 access(0x04227e60, 4, modify, 0x0401b770), access(0x1fff0006f8, 8, write, 0x0401b784),
                                 access(0x1fff0006f0, 8, read, 0x0401b784)}));
  EXPECT_EQ(r.status.instructions, 4u);
  EXPECT_EQ(r.status.skipped_records, 0u);
}

TEST(Lackey, DeliversFetchesAsReadsWhereAsked) {
  const Reading r = read_text("I  0401ab73,5\n S 1fff000708,8\n", "lackey", fetches_as_reads());
  ASSERT_FALSE(r.error);
  EXPECT_EQ(r.accesses,
            (std::vector<Access>{access(0x401ab73, 5, read, 0x401ab73), access(0x1fff000708, 8, write, 0x401ab73)}));
}

TEST(Lackey, RefusesBrokenTraceLines) {
  for (const std::string_view broken : {" L 1fff000708", " L 1fff000708,", " S 1fff000708,8x", " M 1fff00zz08,8",
                                        "I  11112222333344445,1", " L 00001000,4294967296"}) {
    const Reading r = read_text("I  00001000,4\n" + std::string(broken) + "\n", "lackey");
    ASSERT_TRUE(r.error) << broken;
    EXPECT_EQ(r.error->kind, ErrorKind::malformed);
    EXPECT_EQ(r.error->where, "test:2");
    EXPECT_EQ(read_text(std::string(broken) + "\n L 00000010,4\n", "lackey", lenient()).status.skipped_records, 1u);
  }
}

TEST(Lackey, CallsACutLastLineTruncated) {
  const Reading r = read_text("I  00001000,4\n L 1fff0007", "lackey");
  ASSERT_TRUE(r.error);
  EXPECT_EQ(r.error->kind, ErrorKind::truncated);
}

TEST(Lackey, RefusesAnInputWithoutTrace) {
  const Reading r = read_text("==1== Lackey\nhello\n", "lackey");
  ASSERT_TRUE(r.error);
  EXPECT_EQ(r.error->what, "none of the 2 lines is a trace line");
}

RC_GTEST_PROP(Lackey, ReadsBackWhatWasWritten,
              (const std::vector<std::tuple<std::uint64_t, std::uint32_t, std::uint64_t, std::uint8_t>>& in)) {
  std::string text;
  std::vector<Access> expected;
  for (const auto& [address, size, pc, selector] : in) {
    const auto kind = static_cast<AccessKind>(selector % 3);
    text += fmt::format("I  {:08x},4\n {} {:08x},{}\n", pc, "LSM"[selector % 3], address, size);
    expected.push_back(access(address, size, kind, pc));
  }
  const Reading r = read_text(text, "lackey");
  RC_ASSERT(!r.error);
  RC_ASSERT(r.accesses == expected);
  RC_ASSERT(r.status.instructions == in.size());
}

}  // namespace
}  // namespace cachescape::imported
