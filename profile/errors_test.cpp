// What is said about files that are no good profiles: exactly.
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <fstream>
#include <iterator>

#include "profile/example.hpp"
#include "profile/form.hpp"
#include "profile/reader.hpp"
#include "profile/scratch.hpp"
#include "profile/writer.hpp"

namespace cachescape::profile {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view record_again = "the profile was damaged or changed: record it again";

void execute(const std::string& path, const std::string& sql) {
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &database), SQLITE_OK);
  char* message = nullptr;
  ASSERT_EQ(sqlite3_exec(database, sql.c_str(), nullptr, nullptr, &message), SQLITE_OK) << message << "\n" << sql;
  sqlite3_close(database);
}

Error error_of(const std::string& path) {
  const auto profile = read_profile(path);
  EXPECT_FALSE(profile);
  return profile ? Error{} : profile.error();
}

void expect_error(const Error& error, ErrorKind kind, std::string_view what, std::string_view where,
                  std::string_view hint) {
  EXPECT_EQ(error.kind, kind);
  EXPECT_EQ(error.what, what);
  EXPECT_EQ(error.where, where);
  EXPECT_EQ(error.hint, hint);
}

TEST(Errors, OfFilesThatAreNoProfiles) {
  const Scratch scratch;
  const auto at = [&](const char* name) { return scratch.path(name); };
  expect_error(error_of(at("none")), ErrorKind::io, "cannot open: there is no such file", at("none"),
               "check the spelling of the path");
  fs::create_directory(at("folder"));
  expect_error(error_of(at("folder")), ErrorKind::io, "it is a folder, not a profile", at("folder"),
               "name a .cscape file");
  expect_error(error_of("/dev/null"), ErrorKind::io,
               "it is not a regular file: a profile cannot be read from a pipe or a device", "/dev/null",
               "save it to a file first");
  std::ofstream(at("empty")).close();
  expect_error(error_of(at("empty")), ErrorKind::malformed, "this is not a profile: the file is empty", at("empty"),
               "name a .cscape file");
  std::ofstream(at("text")) << std::string(5000, 'x');
  expect_error(error_of(at("text")), ErrorKind::malformed, "this is not a profile: it is not an SQLite database",
               at("text"), "name a .cscape file");
  std::ofstream(at("short")) << "x";
  expect_error(error_of(at("short")), ErrorKind::malformed, "this is not a profile: it is not an SQLite database",
               at("short"), "name a .cscape file");
  execute(at("other"), "CREATE TABLE t(x)");
  expect_error(error_of(at("other")), ErrorKind::malformed,
               "this is not a profile: it is another program's SQLite database", at("other"), "name a .cscape file");
}

/// The example after `sql`.
class Changed {
 public:
  explicit Changed(const std::string& sql) {
    EXPECT_TRUE(write_profile(path(), example_profile()));
    execute(path(), sql);
  }
  std::string path() const { return scratch_.path("p"); }
  Error error() const { return error_of(path()); }

 private:
  Scratch scratch_;
};

/// The stored file of version 4, whose bins are rows, after `sql`.
class Older {
 public:
  explicit Older(const std::string& sql) {
    fs::copy(CACHESCAPE_SOURCE_DIR "/tests/compat/version-4.cscape", path());
    execute(path(), sql);
  }
  std::string path() const { return scratch_.path("p"); }
  Error error() const { return error_of(path()); }

 private:
  Scratch scratch_;
};

TEST(Errors, OfOtherVersions) {
  const Changed newer("PRAGMA user_version = 6");
  expect_error(newer.error(), ErrorKind::unsupported, "the profile has version 6, this program reads versions up to 5",
               newer.path(), "use a newer cachescape");
  const Changed none("PRAGMA user_version = 0");
  expect_error(none.error(), ErrorKind::malformed, "the profile has version 0: there is no such version", none.path(),
               record_again);
}

TEST(Errors, OfTablesThatAreMissingOrDifferent) {
  const Changed missing("DROP TABLE stack_chunk");
  expect_error(missing.error(), ErrorKind::malformed, "the profile has no table stack_chunk", missing.path(),
               record_again);
  const Changed wider("ALTER TABLE thread ADD COLUMN name TEXT");
  expect_error(wider.error(), ErrorKind::malformed, "table thread is not the one that version 5 defines", wider.path(),
               "the profile was changed: keep additions in tables of their own");
  const Changed endless(
      "DROP TABLE stack_chunk; CREATE VIEW stack_chunk AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM "
      "n) SELECT 1 AS stack, 0 AS kind, i AS first, i AS last, 1 AS count, '[1]' AS bins FROM n");
  EXPECT_EQ(endless.error().what, "the profile has no table stack_chunk");
  const Older rows(
      "DROP TABLE stack_bin; CREATE VIEW stack_bin AS SELECT 1 AS stack, 0 AS kind, 0 AS distance, 1 AS count");
  EXPECT_EQ(rows.error().what, "the profile has no table stack_bin");
}

/// What the file says in other views is nobody's business but its readers'.
TEST(Errors, ViewsDoNotMatter) {
  const Changed gone("DROP VIEW stack_bin; CREATE TABLE stack_bin(x)");
  EXPECT_EQ(*read_profile(gone.path()), example_profile());
}

TEST(Errors, AdditionsDoNotMatter) {
  const Changed more(
      "CREATE TABLE note(text); CREATE INDEX by_count ON stack_chunk(count); CREATE VIEW v_mine AS SELECT 1; ANALYZE");
  EXPECT_EQ(*read_profile(more.path()), example_profile());
}

struct BadRow {
  const char* sql;
  const char* what;
  const char* where;  ///< behind the path
};

TEST(Errors, OfRowsNameTableAndRow) {
  const BadRow cases[] = {
      {"UPDATE recording SET state = 'done'", "state is 'done': 'recording' or 'finished' was expected",
       ": table recording"},
      {"UPDATE recording SET bytes = -1", "bytes is -1: an integer from 0 on was expected", ": table recording"},
      {"UPDATE recording SET instructions = 'many'", "instructions is 'many': an integer from 0 on was expected",
       ": table recording"},
      {"DELETE FROM loss", "table loss has no rows: one was expected", ""},
      {"INSERT INTO loss VALUES(0, 0, 0)", "table loss has several rows: one was expected", ""},
      {"UPDATE loss SET truncated = 2", "truncated is 2: at most 1 was expected", ": table loss"},
      {"UPDATE sampling SET method = 'luck'",
       "method is 'luck': one of none, shards_rate, shards_size, interval, blocks was expected", ": table sampling"},
      {"UPDATE sampling SET rate = 0", "rate is 0: more than 0 and at most 1 was expected", ": table sampling"},
      {"UPDATE sampling SET rate = 'x'", "rate is 'x': a number was expected", ": table sampling"},
      {"DELETE FROM provenance WHERE position = 2", "position 2 was expected", ": table provenance, position 3"},
      {"UPDATE provenance SET value = x'00ff' WHERE position = 1", "value is a blob of 2 bytes: a text was expected",
       ": table provenance, position 1"},
      {"UPDATE thread SET thread = 4294967296 WHERE thread = 1",
       "thread is 4294967296: at most 4294967295 was expected", ": table thread, thread 4294967296"},
      {"UPDATE thread SET writes = 1.5 WHERE thread = 0", "writes is 1.5: an integer from 0 on was expected",
       ": table thread, thread 0"},
      {"UPDATE stack SET scope = 'process' WHERE id = 2", "scope is 'process': 'everything' or 'thread' was expected",
       ": table stack, id 2"},
      {"UPDATE stack SET thread = 1 WHERE id = 2", "thread is 1: NULL was expected", ": table stack, id 2"},
      {"UPDATE stack SET thread = NULL WHERE id = 3", "thread is NULL: an integer from 0 on was expected",
       ": table stack, id 3"},
      {"UPDATE stack SET line = 48 WHERE id = 1", "line is 48: a power of two up to 1073741824 was expected",
       ": table stack, id 1"},
      {"UPDATE stack SET line = 64 WHERE id = 1",
       "everything, 64-byte lines follows everything, 64-byte lines: scopes and lines must ascend",
       ": table stack, id 2"},
      {"DELETE FROM stack WHERE id = 3", "id 3 was expected", ": table stack, id 4"},
      {"DELETE FROM stack_kind WHERE stack = 2 AND kind = 1", "table stack_kind has no row for stack 2, kind 1", ""},
      {"INSERT INTO stack_kind VALUES(7, 0, 0, 0)", "the row belongs to no stack and kind",
       ": table stack_kind, stack 7, kind 0"},
      {"UPDATE stack_kind SET cold = touches + 1 WHERE stack = 1 AND kind = 2", "cold is 33: at most 32 was expected",
       ": table stack_kind, stack 1, kind 2"},
      {"INSERT INTO foreign_cold VALUES(1, 0, 1000000)", "more touches follow another thread's than there are",
       ": table foreign_cold, stack 1, kind 0"},
      {"INSERT INTO foreign_set_bin VALUES(1, 5, 0, 0, 1)", "the number of sets is not in table set_grid",
       ": table foreign_set_bin, set_profile 1, sets 5, kind 0, distance 0"},
      {"INSERT INTO foreign_set_bin VALUES(1, 1, 0, 0, 1000000)", "more touches follow another thread's than there are",
       ": table foreign_set_bin, set_profile 1, sets 1, kind 0, distance 0"},
      {"INSERT INTO popularity VALUES(1, 0, 1)", "touches and lines must be at least 1",
       ": table popularity, stack 1, touches 0"},
      {"INSERT INTO popularity VALUES(1, 'x', 1)", "touches is 'x': an integer from 0 on was expected",
       ": table popularity, stack 1, touches 'x'"},
      {"INSERT INTO popularity VALUES(1, 1000, 9223372036854775807)", "the sum of lines is too large",
       ": table popularity, stack 1, touches 1000"},
      {"INSERT INTO popularity VALUES(7, 1, 1)", "there is no stack 7", ": table popularity, stack 7"},
      {"INSERT INTO write_back VALUES(9, 1)", "there is no stack 9", ": table write_back, stack 9"},
      {"UPDATE write_back SET writes = -1 WHERE stack = 2", "writes is -1: an integer from 0 on was expected",
       ": table write_back, stack 2"},
      {"UPDATE set_profile SET ways = 4000000000 WHERE id = 1", "ways is 4000000000: at most 65536 was expected",
       ": table set_profile, id 1"},
      {"INSERT INTO set_grid VALUES(9, 1, 0)", "there is no set_profile 9", ": table set_grid, set_profile 9"},
      {"INSERT INTO set_grid VALUES(1, 0, 0)", "sets is 0: at least 1 was expected",
       ": table set_grid, set_profile 1, sets 0"},
      {"INSERT INTO set_bin VALUES(1, 3, 0, 0, 1)", "the number of sets is not in table set_grid, or out of order",
       ": table set_bin, set_profile 1, sets 3, kind 0, distance 0"},
      {"INSERT INTO set_bin VALUES(1, 2, 0, 4, 1)", "the distance is not less than the 4 ways",
       ": table set_bin, set_profile 1, sets 2, kind 0, distance 4"},
      {"INSERT INTO set_bin VALUES(1, 2, 9, 0, 1)", "kind is none of 0, 1 and 2",
       ": table set_bin, set_profile 1, sets 2, kind 9, distance 0"},
      {"INSERT INTO set_bin VALUES(7, 2, 0, 0, 1)", "there is no set_profile 7", ": table set_bin, set_profile 7"},
      {"UPDATE set_bin SET count = 0 WHERE set_profile = 1 AND sets = 2 AND kind = 2 AND distance = 2",
       "count is 0: at least 1 was expected", ": table set_bin, set_profile 1, sets 2, kind 2, distance 2"},
      {"UPDATE set_grid SET hits = hits + 5 WHERE set_profile = 1 AND sets = 4",
       "the counts of set_profile 1, 4 sets come to 5 less than hits in table set_grid", ": table set_bin"},
      {"DELETE FROM location WHERE id = 2", "id 2 was expected", ": table location, id 3"},
      {"UPDATE location SET line = -1 WHERE id = 2", "line is -1: an integer from 0 on was expected",
       ": table location, id 2"},
      {"UPDATE location SET file = x'00' WHERE id = 1", "file is a blob of 1 bytes: a text was expected",
       ": table location, id 1"},
      {"UPDATE location SET inlined_at = 9 WHERE id = 4", "there is no location 9", ": table location, id 4"},
      {"UPDATE location SET inlined_at = 4 WHERE id = 3", "location 3 is inlined into itself", ""},
      {"UPDATE block SET entry = 2 WHERE id = 1", "entry is 2: at most 1 was expected", ": table block, id 1"},
      {"UPDATE block SET location = 0 WHERE id = 1", "there is no location 0", ": table block, id 1"},
      {"UPDATE block SET loop_depth = 4294967296 WHERE id = 2",
       "loop_depth is 4294967296: at most 4294967295 was expected", ": table block, id 2"},
      {"UPDATE site SET block = 3 WHERE id = 4", "there is no block 3", ": table site, id 4"},
      {"UPDATE object SET kind = 'disk' WHERE id = 1",
       "kind is 'disk': 'unknown', 'heap', 'global' or 'stack' was expected", ": table object, id 1"},
      {"UPDATE counter SET value = 'x' WHERE id = 1", "value is 'x': an integer from 0 on was expected",
       ": table counter, id 1"},
      {"UPDATE context SET caller = 2 WHERE id = 2", "there is no earlier context 2", ": table context, id 2"},
      {"UPDATE context SET recursive = 2 WHERE id = 1", "recursive is 2: at most 1 was expected",
       ": table context, id 1"},
      {"INSERT INTO context_counter VALUES(3, 'loads', 1)", "there is no context 3",
       ": table context_counter, context 3, metric 'loads'"},
      {"UPDATE context_counter SET value = -1 WHERE context = 2 AND metric = 'loads'",
       "value is -1: an integer from 0 on was expected", ": table context_counter, context 2, metric 'loads'"},
      {"DELETE FROM place_line", "there is no row: one was expected", ": table place_line"},
      {"INSERT INTO place_line VALUES(64)", "there are several rows: one was expected", ": table place_line"},
      {"UPDATE place_line SET line = 48", "line is 48: a power of two up to 1073741824 was expected",
       ": table place_line"},
      {"UPDATE place SET scope = 'heap' WHERE id = 1", "scope is 'heap': 'site' or 'object' was expected",
       ": table place, id 1"},
      {"UPDATE place SET scope = 'object' WHERE id = 1", "a site follows an object", ": table place, id 2"},
      {"UPDATE place SET owner = 9 WHERE id = 1", "there is no site 9", ": table place, id 1"},
      {"UPDATE place SET owner = 1 WHERE id = 2", "owners do not ascend", ": table place, id 2"},
      {"UPDATE place_kind SET cold = touches + 1 WHERE place = 1", "cold is 257: at most 256 was expected",
       ": table place_kind, place 1, kind 0"},
      {"INSERT INTO place_kind VALUES(1, 2, 0, 0)", "touches is 0: at least 1 was expected",
       ": table place_kind, place 1, kind 2"},
      {"INSERT INTO place_kind VALUES(1, 7, 1, 1)", "kind is none of 0, 1 and 2",
       ": table place_kind, place 1, kind 7"},
      {"INSERT INTO place_kind VALUES(9, 0, 1, 1)", "there is no place 9", ": table place_kind, place 9"},
      {"INSERT INTO place_bin VALUES(1, 0, 2048, 1)", "the counts come to more than touches in table place_kind",
       ": table place_bin, place 1, kind 0, distance 2048"},
      {"INSERT INTO place_bin VALUES(1, 4, 0, 1)", "kind is none of 0, 1 and 2",
       ": table place_bin, place 1, kind 4, distance 0"},
      {"INSERT INTO place_bin VALUES(8, 0, 0, 1)", "there is no place 8", ": table place_bin, place 8"},
      {"DELETE FROM place_bin WHERE place = 4",
       "the counts of place 4, kind 2 come to 31 less than touches in table place_kind", ": table place_bin"},
      {"UPDATE place_kind SET touches = touches + 1 WHERE place = 4; INSERT INTO place_bin VALUES(4, 2, 65, 1)",
       "distance 65 has more than five binary digits: 64 was expected",
       ": table place_bin, place 4, kind 2, distance 65"},
      {"UPDATE place_kind SET touches = touches + 1 WHERE place = 4; INSERT INTO place_bin VALUES(4, 2, 64, 0)",
       "count is 0: at least 1 was expected", ": table place_bin, place 4, kind 2, distance 64"},
  };
  for (const BadRow& bad : cases) {
    const Changed changed(bad.sql);
    SCOPED_TRACE(bad.sql);
    expect_error(changed.error(), ErrorKind::malformed, bad.what, changed.path() + bad.where, record_again);
  }
}

TEST(Errors, OfRowsOfOlderVersionsNameTableAndRow) {
  const BadRow cases[] = {
      {"INSERT INTO foreign_bin VALUES(99, 0, 0, 1)", "there is no stack 99", ": table foreign_bin, stack 99"},
      {"INSERT INTO foreign_bin VALUES(1, 0, 0, 1000000)", "more touches follow another thread's than there are",
       ": table foreign_bin, stack 1, kind 0, distance 0"},
      {"INSERT INTO stack_bin VALUES(99, 0, 0, 1)", "there is no stack 99", ": table stack_bin, stack 99"},
      {"INSERT INTO stack_bin VALUES(0, 0, 0, 1)", "there is no stack 0", ": table stack_bin, stack 0"},
      {"INSERT INTO stack_bin VALUES(1, 3, 0, 1)", "kind is none of 0, 1 and 2",
       ": table stack_bin, stack 1, kind 3, distance 0"},
      {"INSERT INTO stack_bin VALUES(1, 0, -5, 1)", "distance is -5: an integer from 0 on was expected",
       ": table stack_bin, stack 1, kind 0, distance -5"},
      {"INSERT INTO stack_bin VALUES(1, 0, 100, -1)", "count is -1: an integer from 0 on was expected",
       ": table stack_bin, stack 1, kind 0, distance 100"},
      {"INSERT INTO stack_bin VALUES(1, 0, 100, 0)", "count is 0: at least 1 was expected",
       ": table stack_bin, stack 1, kind 0, distance 100"},
      {"INSERT INTO stack_bin VALUES(1, 0, 100, 1)", "the counts come to more than touches in table stack_kind",
       ": table stack_bin, stack 1, kind 0, distance 100"},
      {"DELETE FROM stack_bin WHERE stack = 4 AND kind = 0 AND distance = 1",
       "the counts of stack 4, kind 0 come to 224 less than touches in table stack_kind", ": table stack_bin"},
      {"UPDATE write_back SET writes = writes + 3 WHERE stack = 2",
       "the counts of stack 2 come to 3 less than writes in table write_back", ": table write_back_bin"},
      {"DELETE FROM write_back WHERE stack = 2", "the counts come to more than writes in table write_back",
       ": table write_back_bin, stack 2, lines 0"},
      {"INSERT INTO write_back_bin VALUES(2, 1000, 0)", "count is 0: at least 1 was expected",
       ": table write_back_bin, stack 2, lines 1000"},
      {"INSERT INTO write_back_bin VALUES(2, 'x', 1)", "lines is 'x': an integer from 0 on was expected",
       ": table write_back_bin, stack 2, lines 'x'"},
      {"INSERT INTO write_back_bin VALUES(7, 1, 1)", "there is no stack 7", ": table write_back_bin, stack 7"},
  };
  for (const BadRow& bad : cases) {
    const Older changed(bad.sql);
    SCOPED_TRACE(bad.sql);
    expect_error(changed.error(), ErrorKind::malformed, bad.what, changed.path() + bad.where, record_again);
  }
}

TEST(Errors, OfChunksNameTableAndRow) {
  const BadRow cases[] = {
      {"INSERT INTO stack_chunk VALUES(99, 0, 0, 0, 1, '[1]')", "there is no stack 99",
       ": table stack_chunk, stack 99"},
      {"INSERT INTO stack_chunk VALUES(0, 0, 0, 0, 1, '[1]')", "there is no stack 0", ": table stack_chunk, stack 0"},
      {"INSERT INTO stack_chunk VALUES(1, 3, 0, 0, 1, '[1]')", "kind is none of 0, 1 and 2",
       ": table stack_chunk, stack 1, kind 3, first 0"},
      {"INSERT INTO stack_chunk VALUES(1, 0, -5, 0, 1, '[1]')", "first is -5: an integer from 0 on was expected",
       ": table stack_chunk, stack 1, kind 0, first -5"},
      {"INSERT INTO stack_chunk VALUES(1, 0, 100, 'x', 1, '[1]')", "last is 'x': an integer from 0 on was expected",
       ": table stack_chunk, stack 1, kind 0, first 100"},
      {"INSERT INTO stack_chunk VALUES(1, 0, 100, 100, -1, '[1]')", "count is -1: an integer from 0 on was expected",
       ": table stack_chunk, stack 1, kind 0, first 100"},
      {"INSERT INTO stack_chunk VALUES(1, 0, 100, 100, 1, x'5b315d')", "bins is a blob of 3 bytes: a text was expected",
       ": table stack_chunk, stack 1, kind 0, first 100"},
      {"INSERT INTO stack_chunk VALUES(1, 0, 100, 100, 0, '[]')", "bins, at character 2: a digit was expected",
       ": table stack_chunk, stack 1, kind 0, first 100"},
      {"INSERT INTO stack_chunk VALUES(1, 0, 100, 100, 1, CAST(x'5b315d00' AS TEXT))",
       "bins, at character 4: nothing more was expected", ": table stack_chunk, stack 1, kind 0, first 100"},
      {"INSERT INTO stack_chunk VALUES(1, 0, 100, 101, 1, '[1]')", "the bins end with 100, last is 101",
       ": table stack_chunk, stack 1, kind 0, first 100"},
      {"INSERT INTO stack_chunk VALUES(1, 0, 100, 101, 3, '[1,1]')", "the bins come to 2, count is 3",
       ": table stack_chunk, stack 1, kind 0, first 100"},
      {"INSERT INTO stack_chunk VALUES(1, 0, 100, 100, 1, '[1]')",
       "the counts come to more than touches in table stack_kind", ": table stack_chunk, stack 1, kind 0, first 100"},
      {"UPDATE stack_chunk SET bins = '[200]', count = 200 WHERE stack = 4 AND kind = 0;"
       "INSERT INTO stack_chunk VALUES(4, 0, 0, 1, 24, '[20,4]')",
       "distance 1 follows 1: values must ascend", ": table stack_chunk, stack 4, kind 0, first 1"},
      {"DELETE FROM stack_chunk WHERE stack = 4 AND kind = 0",
       "the counts of stack 4, kind 0 come to 224 less than touches in table stack_kind", ": table stack_chunk"},
      {"INSERT INTO foreign_chunk VALUES(99, 0, 0, 0, 1, '[1]')", "there is no stack 99",
       ": table foreign_chunk, stack 99"},
      {"INSERT INTO foreign_chunk VALUES(1, 9, 0, 0, 1, '[1]')", "kind is none of 0, 1 and 2",
       ": table foreign_chunk, stack 1, kind 9, first 0"},
      {"DELETE FROM foreign_chunk; INSERT INTO foreign_chunk VALUES(4, 0, 1, 1, 225, '[225]')",
       "more touches follow another thread's than there are", ": table foreign_chunk, stack 4, kind 0, first 1"},
      {"DELETE FROM foreign_chunk; INSERT INTO foreign_chunk VALUES(4, 0, 1, 2, 2, '[1,1]')",
       "more touches follow another thread's than there are", ": table foreign_chunk, stack 4, kind 0, first 1"},
      {"UPDATE write_back SET writes = writes + 3 WHERE stack = 2",
       "the counts of stack 2 come to 3 less than writes in table write_back", ": table write_back_chunk"},
      {"DELETE FROM write_back WHERE stack = 2", "the counts come to more than writes in table write_back",
       ": table write_back_chunk, stack 2, first 0"},
      {"INSERT INTO write_back_chunk VALUES(2, 1000, 1008, 1, '{\"0\":1,\"8\":0}')",
       "bins, at character 13: a count is 0", ": table write_back_chunk, stack 2, first 1000"},
      {"INSERT INTO write_back_chunk VALUES(7, 1, 1, 1, '[1]')", "there is no stack 7",
       ": table write_back_chunk, stack 7"},
  };
  for (const BadRow& bad : cases) {
    const Changed changed(bad.sql);
    SCOPED_TRACE(bad.sql);
    expect_error(changed.error(), ErrorKind::malformed, bad.what, changed.path() + bad.where, record_again);
  }
}

TEST(Errors, OfSetCountersBeyondMemory) {
  const Changed changed(
      "UPDATE set_profile SET ways = 65536; INSERT INTO set_grid WITH RECURSIVE n(i) AS (SELECT 100 UNION ALL SELECT i "
      "+ 1 FROM n WHERE i < 500) "
      "SELECT 1, i, 0 FROM n");
  const Error error = changed.error();
  EXPECT_EQ(error.kind, ErrorKind::limit);
  EXPECT_EQ(error.what, "there are more than 67108864 counters of set distances");
}

TEST(Errors, OfTextsBeyondMemory) {
  const Changed changed("UPDATE provenance SET value = CAST(zeroblob(17000000) AS TEXT) WHERE position = 1");
  expect_error(changed.error(), ErrorKind::limit, "the profile holds a text of more than 16777216 bytes",
               changed.path(), "");
  const Changed chunk("UPDATE stack_chunk SET bins = CAST(zeroblob(17000000) AS TEXT) WHERE stack = 1");
  expect_error(chunk.error(), ErrorKind::limit, "the profile holds a text of more than 16777216 bytes", chunk.path(),
               "");
}

TEST(Errors, OfEveryCut) {
  const Scratch scratch;
  ASSERT_TRUE(write_profile(scratch.path("p"), example_profile()));
  std::ifstream in(scratch.path("p"), std::ios::binary);
  const std::string file{std::istreambuf_iterator<char>(in), {}};
  for (std::size_t n = 0; n < file.size(); n += 509) {
    const auto cut = read_profile(std::as_bytes(std::span(file).subspan(0, n)), "cut");
    // The end of the file may be the text of a view, which nobody reads here.
    const bool in_last_page = n > file.size() - 4096;
    ASSERT_TRUE(!cut || (in_last_page && *cut == example_profile())) << n;
    ASSERT_TRUE(cut || !cut.error().what.empty());
  }
  std::ofstream(scratch.path("q"), std::ios::binary) << file.substr(0, file.size() - 4096);
  const Error error = error_of(scratch.path("q"));
  expect_error(error, ErrorKind::corrupt, "the profile is damaged: database disk image is malformed", scratch.path("q"),
               "record it again, or rescue what is left with .recover in the sqlite3 shell");
}

TEST(Errors, OfBytesThatNeedTheirFile) {
  const Scratch scratch;
  auto writer = ProfileWriter::create(scratch.path("p"));
  fs::copy(scratch.path("p"), scratch.path("q"));
  std::ifstream in(scratch.path("q"), std::ios::binary);
  const std::string file{std::istreambuf_iterator<char>(in), {}};
  const auto profile = read_profile(std::as_bytes(std::span(file)), "upload");
  ASSERT_FALSE(profile);
  expect_error(profile.error(), ErrorKind::unsupported, "an unfinished profile can only be read from its file",
               "upload", "name the file instead");
}

TEST(Errors, OfForm) {
  const auto complaint = [](auto change) {
    Profile profile = example_profile();
    change(profile);
    const auto form = check_form(profile);
    return form ? std::string("fine") : form.error().what;
  };
  EXPECT_EQ(complaint([](Profile&) {}), "fine");
  EXPECT_EQ(complaint([](Profile& p) { p.bytes = std::uint64_t{1} << 63; }),
            "the number of bytes is 9223372036854775808: at most 9223372036854775807 can be kept");
  EXPECT_EQ(complaint([](Profile& p) { std::swap(p.threads[0], p.threads[1]); }),
            "thread 0 follows thread 1: threads must ascend");
  EXPECT_EQ(complaint([](Profile& p) { p.sampling.rate = 0; }),
            "the sampling rate is 0: it must be above 0 and at most 1");
  EXPECT_EQ(complaint([](Profile& p) { p.stacks[0].kinds[0].bins[0].count = 0; }),
            "everything, 32-byte lines, read distances: the count of value 0 is 0");
  EXPECT_EQ(complaint([](Profile& p) { p.stacks[0].popularity[0].value = 0; }),
            "everything, 32-byte lines, popularity: value 0 is less than 1");
  EXPECT_EQ(complaint([](Profile& p) { p.stacks[1] = p.stacks[0]; }),
            "stack profile 2 (everything, 32-byte lines) must come before stack profile 1 (everything, 32-byte lines), "
            "and only once");
  EXPECT_EQ(complaint([](Profile& p) { p.stacks[0].scope.thread = ThreadId{3}; }),
            "stack profile 1: the scope is everything, but names thread 3");
  EXPECT_EQ(complaint([](Profile& p) { p.stacks[1].line = LineSize{31}; }),
            "stack profile 2: the line size 2^31 is larger than 2^30");
  EXPECT_EQ(complaint([](Profile& p) { p.sets[0].counts[1].hits[2].pop_back(); }),
            "set distances of everything, 32-byte lines, 2 sets: there are 3 modify counts, not 4, one per way");
  EXPECT_EQ(complaint([](Profile& p) { p.sets[0].counts[1].sets = 1; }),
            "set distances of everything, 32-byte lines: 1 sets follow 1: the numbers of sets must ascend");
  EXPECT_EQ(complaint([](Profile& p) { p.sets[0].counts[0].sets = 0; }),
            "set distances of everything, 32-byte lines: the number of sets is 0");
}

}  // namespace
}  // namespace cachescape::profile
