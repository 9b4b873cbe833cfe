// The queries in docs/formats/profile.md give what the page says.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <fstream>
#include <iterator>

#include "profile/example.hpp"
#include "profile/schema.hpp"
#include "profile/scratch.hpp"
#include "profile/sharing_example.hpp"
#include "profile/signature_example.hpp"
#include "profile/writer.hpp"

namespace cachescape::profile {
namespace {

struct Query {
  std::string sql;
  std::string output;
};

/// Blocks of the form ``` / $ sqlite3 `file` "…" / output / ```.
std::vector<Query> documented_queries(std::istream& page, const std::string& file) {
  const std::string start = "$ sqlite3 " + file + " \"";
  std::vector<Query> queries;
  bool inside = false;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with(start)) {
      queries.push_back({line.substr(start.size(), line.size() - start.size() - 1), ""});
      inside = true;
    } else if (line.starts_with("```")) {
      inside = false;
    } else if (inside) {
      queries.back().output += line + "\n";
    }
  }
  return queries;
}

/// As the sqlite3 shell prints by default.
std::string answer(sqlite3* database, const std::string& sql) {
  std::string text;
  const auto print = [](void* out, int columns, char** values, char**) {
    auto& t = *static_cast<std::string*>(out);
    for (int i = 0; i < columns; ++i) t += std::string(i > 0 ? "|" : "") + (values[i] != nullptr ? values[i] : "");
    t += "\n";
    return 0;
  };
  char* message = nullptr;
  EXPECT_EQ(sqlite3_exec(database, sql.c_str(), print, &text, &message), SQLITE_OK) << message;
  return text;
}

void expect_documented_answers(const std::string& file, const std::string& path, std::size_t count) {
  std::ifstream page(CACHESCAPE_SOURCE_DIR "/docs/formats/profile.md");
  ASSERT_TRUE(page);
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open_v2(path.c_str(), &database, SQLITE_OPEN_READONLY, nullptr), SQLITE_OK);
  const auto queries = documented_queries(page, file);
  EXPECT_EQ(queries.size(), count);
  for (const Query& query : queries) EXPECT_EQ(answer(database, query.sql), query.output) << query.sql;
  sqlite3_close(database);
}

TEST(DocumentedQueries, OfTheStoredFiles) {
  expect_documented_answers("app.cscape", CACHESCAPE_SOURCE_DIR "/tests/compat/version-3.cscape", 15);
  expect_documented_answers("counters.cscape", CACHESCAPE_SOURCE_DIR "/tests/compat/version-3-sharing.cscape", 4);
  expect_documented_answers("signature.cscape", CACHESCAPE_SOURCE_DIR "/tests/compat/version-4.cscape", 3);
  expect_documented_answers("chunks.cscape", CACHESCAPE_SOURCE_DIR "/tests/compat/version-5.cscape", 3);
  // What is asked of older files can be asked of newer ones.
  expect_documented_answers("app.cscape", CACHESCAPE_SOURCE_DIR "/tests/compat/version-5.cscape", 15);
  expect_documented_answers("counters.cscape", CACHESCAPE_SOURCE_DIR "/tests/compat/version-5-sharing.cscape", 4);
}

TEST(DocumentedQueries, OfFilesWrittenNow) {
  const Scratch scratch;
  ASSERT_TRUE(write_profile(scratch.path("app.cscape"), example_profile()));
  expect_documented_answers("app.cscape", scratch.path("app.cscape"), 15);
  ASSERT_TRUE(write_profile(scratch.path("counters.cscape"), sharing_example()));
  expect_documented_answers("counters.cscape", scratch.path("counters.cscape"), 4);
  ASSERT_TRUE(write_profile(scratch.path("signature.cscape"), signature_example()));
  expect_documented_answers("signature.cscape", scratch.path("signature.cscape"), 3);
  expect_documented_answers("chunks.cscape", scratch.path("signature.cscape"), 3);
}

TEST(DocumentedQueries, EveryTableAndViewIsNamed) {
  std::ifstream in(CACHESCAPE_SOURCE_DIR "/docs/formats/profile.md");
  const std::string page{std::istreambuf_iterator<char>(in), {}};
  for (const auto objects : {tables(), views()}) {
    for (const SchemaObject& object : objects)
      EXPECT_NE(page.find("| `" + std::string(object.name) + "` |"), std::string::npos) << object.name;
  }
}

/// Views against the definition: the histograms of the value itself.
TEST(Views, AgreeWithTheValue) {
  const Scratch scratch;
  const Profile profile = example_profile();
  ASSERT_TRUE(write_profile(scratch.path("p"), profile));
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(scratch.path("p").c_str(), &database), SQLITE_OK);
  std::size_t points = 0;
  for (const StackProfile& stack : profile.stacks) {
    const std::string place =
        stack.scope == Scope{} ? "scope = 'everything'" : "thread = " + std::to_string(stack.scope.thread.value);
    for (std::uint64_t lines = 0; lines < 140; ++lines) {
      std::uint64_t misses = 0;
      for (const Histogram& h : stack.kinds) misses += h.total() - h.below(lines);
      const std::string sql = "SELECT misses FROM v_miss_curve WHERE " + place +
                              " AND line = " + std::to_string(stack.line.bytes().value) +
                              " AND lines <= " + std::to_string(lines) + " ORDER BY lines DESC LIMIT 1";
      ASSERT_EQ(answer(database, sql), std::to_string(misses) + "\n") << sql;
      ++points;
    }
  }
  EXPECT_EQ(points, 840u);
  for (const SetProfile& sets : profile.sets) {
    const std::string place =
        sets.scope == Scope{} ? "scope = 'everything'" : "thread = " + std::to_string(sets.scope.thread.value);
    for (const SetCounts& counts : sets.counts) {
      std::uint64_t misses = sets.touches[0] + sets.touches[1] + sets.touches[2];
      std::string expected;
      for (std::size_t d = 0; d < sets.ways; ++d) {
        for (const auto& hits : counts.hits) misses -= hits[d];
        expected += std::to_string(d + 1) + "|" + std::to_string(misses) + "\n";
      }
      EXPECT_EQ(answer(database, "SELECT ways, misses FROM v_set_misses WHERE " + place +
                                     " AND line = " + std::to_string(sets.line.bytes().value) +
                                     " AND sets = " + std::to_string(counts.sets) + " ORDER BY ways"),
                expected);
    }
  }
  sqlite3_close(database);
}

TEST(Views, TellWhatSharingDoesToCachesOfAnySize) {
  const Scratch scratch;
  const Profile profile = sharing_example();
  ASSERT_TRUE(write_profile(scratch.path("p"), profile));
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(scratch.path("p").c_str(), &database), SQLITE_OK);
  for (std::uint64_t lines = 0; lines < 12; ++lines) {
    const NaiveSharingCounts now = NaiveCaches(1, LineSize{6}, 1, lines).run(sharing_example_accesses());
    std::uint64_t misses = 88;
    std::array<std::uint64_t, sharing_kinds> lost{};
    for (std::size_t k = 0; k < access_kinds; ++k) {
      misses -= now.hits[k];
      for (std::size_t s = 0; s < sharing_kinds; ++s) lost[s] += now.lost[k][s];
    }
    EXPECT_EQ(
        answer(database,
               "SELECT touches, misses, cold, true_sharing, false_sharing FROM v_sharing WHERE degree = 1 AND line "
               "= 64 AND lines <= " +
                   std::to_string(lines) + " ORDER BY lines DESC LIMIT 1"),
        fmt::format("88|{}|12|{}|{}\n", misses, lost[0], lost[1]))
        << lines;
  }
  sqlite3_close(database);
}

}  // namespace
}  // namespace cachescape::profile
