#include "observe/imported/oracle_general/oracle_general.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstring>
#include <map>
#include <set>

#include "observe/imported/testing.hpp"

namespace cachescape::imported {
namespace {

std::string request(std::uint32_t time, std::uint64_t object, std::uint32_t size, std::int64_t next) {
  std::string record(24, '\0');
  std::memcpy(record.data(), &time, 4);
  std::memcpy(record.data() + 4, &object, 8);
  std::memcpy(record.data() + 12, &size, 4);
  std::memcpy(record.data() + 16, &next, 8);
  return record;
}

Access object(std::uint64_t number) { return access(object_address(number), 0, AccessKind::read); }

TEST(OracleGeneral, NumbersObjectsInOrderOfAppearance) {
  const Reading r = read_text(test_data("oracle_general/testdata/objects.oracleGeneral"), "oracle_general");
  ASSERT_FALSE(r.error);
  EXPECT_EQ(r.accesses, (std::vector<Access>{object(0), object(0), object(1), object(0), object(0)}));
  EXPECT_EQ(r.status.skipped_records, 1u);  // the request of size 0
}

TEST(OracleGeneral, GivesEveryObjectALineOfItsOwn) {
  std::set<std::uint64_t> lines_of_512;
  std::map<std::uint64_t, int> sets;  // of a cache with 64 sets of 64-byte lines
  for (std::uint64_t n = 0; n < 64'000; ++n) {
    EXPECT_EQ(object_address(n) / 512, n);
    lines_of_512.insert(object_address(n) / 512);
    ++sets[object_address(n) / 64 % 64];
  }
  EXPECT_EQ(lines_of_512.size(), 64'000u);
  ASSERT_EQ(sets.size(), 64u);
  for (const auto& [set, count] : sets) {
    EXPECT_GT(count, 800) << set;
    EXPECT_LT(count, 1200) << set;
  }
}

TEST(OracleGeneral, RefusesImpossibleTimes) {
  const std::string data = request(1, 5, 10, -1) + request(1, 6, 10, -3);
  const Reading r = read_text(data, "oracle_general");
  EXPECT_EQ(r.accesses.size(), 1u);
  ASSERT_TRUE(r.error);
  EXPECT_EQ(r.error->kind, ErrorKind::malformed);
  EXPECT_EQ(r.error->where, "test, byte 24");
}

TEST(OracleGeneral, ReportsAPartialRequest) {
  const Reading r = read_text(request(1, 5, 10, -1) + "rest", "oracle_general");
  EXPECT_EQ(r.accesses.size(), 1u);
  ASSERT_TRUE(r.error);
  EXPECT_EQ(r.error->kind, ErrorKind::truncated);
  EXPECT_EQ(r.error->where, "test, byte 24");
}

RC_GTEST_PROP(OracleGeneral, ReadsBackWhatWasWritten, (const std::vector<std::uint64_t>& objects)) {
  std::string data;
  std::map<std::uint64_t, std::uint64_t> numbers;
  std::vector<Access> expected;
  for (const std::uint64_t id : objects) {
    data += request(0, id, 1, -1);
    expected.push_back(object(numbers.try_emplace(id, numbers.size()).first->second));
  }
  const Reading r = read_text(data, "oracleGeneral");
  RC_ASSERT(!r.error);
  RC_ASSERT(r.accesses == expected);
}

}  // namespace
}  // namespace cachescape::imported
