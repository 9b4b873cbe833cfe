// Bins as text: what is written is what is read, by the parser and by SQLite, and nothing else is read.
#include "profile/bin_text.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <sqlite3.h>

#include "profile/arbitrary.hpp"

namespace cachescape::profile {
namespace {

std::string text_of(const std::vector<Bin>& bins) {
  std::string text;
  append_text(text, bins);
  return text;
}

/// What json_each makes of the text: the same as the views of a profile.
std::vector<Bin> by_sqlite(const std::string& text, std::uint64_t first) {
  sqlite3* database = nullptr;
  EXPECT_EQ(sqlite3_open(":memory:", &database), SQLITE_OK);
  sqlite3_stmt* statement = nullptr;
  EXPECT_EQ(sqlite3_prepare_v2(database, "SELECT ?1 + key, value FROM json_each(?2) WHERE value > 0", -1, &statement,
                               nullptr),
            SQLITE_OK);
  sqlite3_bind_int64(statement, 1, static_cast<sqlite3_int64>(first));
  sqlite3_bind_text(statement, 2, text.c_str(), -1, SQLITE_STATIC);
  std::vector<Bin> bins;
  while (sqlite3_step(statement) == SQLITE_ROW) {
    EXPECT_EQ(sqlite3_column_type(statement, 0), SQLITE_INTEGER);
    EXPECT_EQ(sqlite3_column_type(statement, 1), SQLITE_INTEGER);
    bins.push_back({static_cast<std::uint64_t>(sqlite3_column_int64(statement, 0)),
                    static_cast<std::uint64_t>(sqlite3_column_int64(statement, 1))});
  }
  sqlite3_finalize(statement);
  sqlite3_close(database);
  return bins;
}

RC_GTEST_PROP(BinText, ComesBackAsItWasWritten, ()) {
  std::vector<Bin> bins = some_bins(some_count());
  if (bins.empty()) bins = {{some_count(), some_count(1)}};
  const std::string text = text_of(bins);
  const std::vector<Bin> before = some_bins(0);
  std::vector<Bin> back = before;
  RC_ASSERT(parse_text(text, bins.front().value, back).has_value());
  RC_ASSERT(std::vector(back.begin() + static_cast<std::ptrdiff_t>(before.size()), back.end()) == bins);
  RC_ASSERT(by_sqlite(text, bins.front().value) == bins);
}

/// One character is another, one more, or one less: then it is refused, or says what SQLite says.
RC_GTEST_PROP(BinText, IsReadAsSqliteReadsItOrNotAtAll, ()) {
  std::vector<Bin> bins = some_bins(0);
  if (bins.empty()) bins = {{0, 1}};
  std::string text = text_of(bins);
  const auto at = *rc::gen::inRange<std::size_t>(0, text.size());
  const char other = *rc::gen::elementOf(std::string("[]{},:\"0123456789 -+.e"));
  switch (*rc::gen::inRange(0, 3)) {
    case 0:
      text[at] = other;
      break;
    case 1:
      text.insert(at, 1, other);
      break;
    default:
      text.erase(at, 1);
  }
  std::vector<Bin> back;
  if (parse_text(text, 7, back)) {
    RC_ASSERT(by_sqlite(text, 7) == back);
    RC_ASSERT(back.front().value == 7u);
  }
}

TEST(BinText, IsAListWhereValuesAreClose) {
  EXPECT_EQ(text_of({{5, 3}}), "[3]");
  EXPECT_EQ(text_of({{5, 3}, {6, 1}}), "[3,1]");
  EXPECT_EQ(text_of({{5, 3}, {12, 1}}), "[3,0,0,0,0,0,0,1]");
  EXPECT_EQ(text_of({{5, 3}, {13, 1}}), R"({"0":3,"8":1})");
  EXPECT_EQ(text_of({{0, 1}, {9223372036854775807u, 9}}), R"({"0":1,"9223372036854775807":9})");
}

TEST(BinText, MayTakeEitherForm) {
  std::vector<Bin> bins;
  ASSERT_TRUE(parse_text(R"({"0":3,"1":2})", 4, bins));
  ASSERT_TRUE(parse_text("[1,0,0,0,0,0,0,0,0,0,1]", 6, bins));
  EXPECT_EQ(bins, (std::vector<Bin>{{4, 3}, {5, 2}, {6, 1}, {16, 1}}));
}

TEST(BinText, RefusesEverythingElse) {
  struct Bad {
    std::string text;
    std::string what;
    std::uint64_t first = 0;
  };
  const std::string most = "9223372036854775807";
  const std::vector<Bad> cases = {
      {"", "bins, at character 1: '[' or '{' was expected"},
      {"1", "bins, at character 1: '[' or '{' was expected"},
      {" [1]", "bins, at character 1: '[' or '{' was expected"},
      {"[", "bins, at character 2: a digit was expected"},
      {"[]", "bins, at character 2: a digit was expected"},
      {"[ 1]", "bins, at character 2: a digit was expected"},
      {"[-1]", "bins, at character 2: a digit was expected"},
      {"[+1]", "bins, at character 2: a digit was expected"},
      {"[[1]]", "bins, at character 2: a digit was expected"},
      {"[1,]", "bins, at character 4: a digit was expected"},
      {"[01]", "bins, at character 2: a number begins with 0"},
      {"[1.5]", "bins, at character 3: ',' or ']' was expected"},
      {"[1e3]", "bins, at character 3: ',' or ']' was expected"},
      {"[1", "bins, at character 3: ',' or ']' was expected"},
      {"[1}", "bins, at character 3: ',' or ']' was expected"},
      {"[1]]", "bins, at character 4: nothing more was expected"},
      {"[1] ", "bins, at character 4: nothing more was expected"},
      {std::string("[1]\0", 4), "bins, at character 4: nothing more was expected"},
      {"[0]", "bins, at character 3: a list must not begin or end with 0"},
      {"[0,1]", "bins, at character 4: a list must not begin or end with 0"},
      {"[1,0]", "bins, at character 5: a list must not begin or end with 0"},
      {"[9223372036854775808]", "bins, at character 2: at most " + most + " was expected"},
      {"[99999999999999999999999]", "bins, at character 2: at most " + most + " was expected"},
      {"[" + most + ",1]", "bins, at character 23: the counts come to more than " + most},
      {"[1,1]", "bins, at character 5: a value is more than " + most, 0x7fff'ffff'ffff'ffff},
      {"{}", "bins, at character 2: '\"' was expected"},
      {"{0:1}", "bins, at character 2: '\"' was expected"},
      {R"({"":1})", "bins, at character 3: a digit was expected"},
      {R"({"x":1})", "bins, at character 3: a digit was expected"},
      {R"({"00":1})", "bins, at character 3: a number begins with 0"},
      {R"({"0":0})", "bins, at character 7: a count is 0"},
      {R"({"1":1})", "bins, at character 4: the first key must be 0"},
      {R"({"0":1,"0":1})", "bins, at character 10: keys do not ascend"},
      {R"({"0":1,"5":1,"3":1})", "bins, at character 16: keys do not ascend"},
      {R"({"0" :1})", "bins, at character 5: ':' was expected"},
      {R"({"0":1,})", "bins, at character 8: '\"' was expected"},
      {R"({"0":1])", "bins, at character 7: ',' or '}' was expected"},
      {R"({"0":1}{)", "bins, at character 8: nothing more was expected"},
      {R"({"0":1,")" + most + R"(":1})", "bins, at character 31: a value is more than " + most, 1},
  };
  for (const Bad& bad : cases) {
    std::vector<Bin> bins;
    const auto parsed = parse_text(bad.text, bad.first, bins);
    ASSERT_FALSE(parsed) << bad.text;
    EXPECT_EQ(parsed.error().kind, ErrorKind::malformed);
    EXPECT_EQ(parsed.error().what, bad.what) << bad.text;
  }
}

}  // namespace
}  // namespace cachescape::profile
