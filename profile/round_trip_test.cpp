// What is written is what is read: all of it, parts of it, its header.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <sqlite3.h>

#include <fstream>
#include <iterator>

#include "profile/arbitrary.hpp"
#include "profile/example.hpp"
#include "profile/form.hpp"
#include "profile/reader.hpp"
#include "profile/scratch.hpp"
#include "profile/sharing_example.hpp"
#include "profile/signature_example.hpp"
#include "profile/writer.hpp"

namespace cachescape::profile {
namespace {

std::string bytes_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

RC_GTEST_PROP(Profile, ComesBackAsItWasWritten, ()) {
  const Profile profile = some_profile();
  RC_ASSERT(check_form(profile).has_value());
  const Scratch scratch;
  RC_ASSERT(write_profile(scratch.path("p"), profile).has_value());
  const auto back = read_profile(scratch.path("p"));
  RC_ASSERT(back.has_value());
  RC_ASSERT(*back == profile);
  const std::string file = bytes_of(scratch.path("p"));
  const auto from_memory = read_profile(std::as_bytes(std::span(file)), "memory");
  RC_ASSERT(from_memory.has_value());
  RC_ASSERT(*from_memory == profile);
}

/// Histograms of several chunks, and of exactly as many bins as fit.
RC_GTEST_PROP(Profile, LongHistogramsComeBackAsTheyWereWritten, ()) {
  Profile profile;
  StackProfile& stack = profile.stacks.emplace_back();
  stack.kinds[1] = {some_long_bins(), 3};
  stack.kinds[2].bins = some_long_bins();
  stack.kinds[2].bins.resize(4096);
  for (std::size_t i = 0; i < stack.kinds[1].bins.size(); i += 2)
    stack.foreign[1].bins.push_back(stack.kinds[1].bins[i]);
  stack.write_backs = some_long_bins();
  CoherentProfile& degree = profile.sharing.degrees.emplace_back();
  degree.kinds[0].kept.bins = some_long_bins();
  degree.kinds[2].lost[1] = some_long_bins();
  degree.write_backs = some_long_bins();
  RC_ASSERT(check_form(profile).has_value());
  const Scratch scratch;
  RC_ASSERT(write_profile(scratch.path("p"), profile).has_value());
  const auto back = read_profile(scratch.path("p"));
  RC_ASSERT(back.has_value());
  RC_ASSERT(*back == profile);
}

RC_GTEST_PROP(Profile, TheHeaderIsTheProfileWithoutHistograms, ()) {
  Profile profile = some_profile();
  const Scratch scratch;
  RC_ASSERT(write_profile(scratch.path("p"), profile).has_value());
  const auto header = read_header(scratch.path("p"));
  RC_ASSERT(header.has_value());
  RC_ASSERT(header->version == 5u && header->finished && header->updates == 1u);
  RC_ASSERT(header->stacks.size() == profile.stacks.size());
  for (std::size_t i = 0; i < profile.stacks.size(); ++i) {
    StackHeader expected{profile.stacks[i].scope, profile.stacks[i].line, {}, {}, profile.stacks[i].footprint_lines};
    for (std::size_t k = 0; k < access_kinds; ++k) {
      expected.touches[k] = profile.stacks[i].kinds[k].total();
      expected.cold[k] = profile.stacks[i].kinds[k].cold;
    }
    if (const auto& bins = profile.stacks[i].write_backs) {
      expected.writes = 0;
      for (const Bin& b : *bins) *expected.writes += b.count;
    }
    RC_ASSERT(header->stacks[i] == expected);
  }
  RC_ASSERT(header->sets.size() == profile.sets.size());
  for (std::size_t i = 0; i < profile.sets.size(); ++i) {
    const SetProfile& s = profile.sets[i];
    SetHeader expected{s.scope, s.line, s.ways, s.touches, {}};
    for (const SetCounts& c : s.counts) expected.sets.push_back(c.sets);
    RC_ASSERT(header->sets[i] == expected);
  }
  RC_ASSERT(header->sharing.size() == profile.sharing.degrees.size());
  for (std::size_t i = 0; i < profile.sharing.degrees.size(); ++i) {
    const CoherentProfile& d = profile.sharing.degrees[i];
    SharingHeader expected{d.degree, d.line, d.caches, d.ways, {}, {}, {}};
    for (std::size_t k = 0; k < access_kinds; ++k) {
      expected.touches[k] = touches_of(d.kinds[k]);
      expected.cold[k] = d.kinds[k].kept.cold;
    }
    for (const CoherentSets& s : d.sets) expected.sets.push_back(s.sets);
    RC_ASSERT(header->sharing[i] == expected);
  }
  RC_ASSERT(header->signatures.size() == profile.signatures.size());
  for (std::size_t i = 0; i < profile.signatures.size(); ++i) {
    const SignatureProfile& s = profile.signatures[i];
    SignatureHeader expected{s.scope, s.rule, {}, 0};
    for (const SignatureBin& b : s.counts)
      for (std::size_t k = 0; k < access_kinds; ++k) expected.references[k] += b.references[k];
    for (const Bin& b : s.steps) expected.steps += b.count;
    RC_ASSERT(header->signatures[i] == expected);
  }
  profile.stacks.clear();
  profile.sets.clear();
  profile.places = {};
  profile.sharing = {};
  profile.signatures.clear();
  RC_ASSERT(header->general == profile);
}

RC_GTEST_PROP(Profile, AFilterLeavesWhatItNames, ()) {
  const Profile profile = some_profile();
  const Scratch scratch;
  RC_ASSERT(write_profile(scratch.path("p"), profile).has_value());
  ReadFilter filter;
  if (*rc::gen::arbitrary<bool>()) filter.lines = {LineSize{6}, LineSize{0}};
  if (*rc::gen::arbitrary<bool>()) filter.scopes = {Scope{}, Scope{Scope::Kind::thread, ThreadId{7}}};
  filter.stacks = *rc::gen::arbitrary<bool>();
  filter.popularity = *rc::gen::arbitrary<bool>();
  filter.sets = *rc::gen::arbitrary<bool>();
  filter.write_backs = *rc::gen::arbitrary<bool>();
  filter.places = *rc::gen::arbitrary<bool>();
  filter.sharing = *rc::gen::arbitrary<bool>();
  filter.signatures = *rc::gen::arbitrary<bool>();
  const auto back = read_profile(scratch.path("p"), filter);
  RC_ASSERT(back.has_value());
  Profile expected = profile;
  const auto other = [&](const auto& part) {
    const bool line = filter.lines.empty() || part.line == LineSize{6} || part.line == LineSize{0};
    const bool scope =
        filter.scopes.empty() || part.scope == Scope{} || part.scope == Scope{Scope::Kind::thread, ThreadId{7}};
    return !(line && scope);
  };
  std::erase_if(expected.stacks, other);
  std::erase_if(expected.sets, other);
  if (!filter.stacks) expected.stacks.clear();
  if (!filter.sets) expected.sets.clear();
  if (!filter.lines.empty()) {
    std::erase_if(expected.sharing.degrees,
                  [](const CoherentProfile& d) { return d.line != LineSize{6} && d.line != LineSize{0}; });
  }
  if (!filter.sharing) {
    expected.sharing = {};
    for (StackProfile& s : expected.stacks) s.foreign = {};
    for (SetProfile& s : expected.sets)
      for (SetCounts& counts : s.counts) counts.foreign = {};
  }
  if (!filter.places) {
    expected.places = {};
    expected.sharing.pairs.clear();
    expected.sharing.lines.clear();
    for (SignatureProfile& s : expected.signatures) s.sites.clear();
  }
  if (!filter.scopes.empty())
    std::erase_if(expected.signatures, [](const SignatureProfile& s) { return s.scope.kind == Scope::Kind::thread; });
  if (!filter.signatures) expected.signatures.clear();
  if (!filter.popularity) {
    for (StackProfile& s : expected.stacks) s.popularity.clear();
  }
  if (!filter.write_backs) {
    for (StackProfile& s : expected.stacks) s.write_backs.reset();
  }
  RC_ASSERT(*back == expected);
}

TEST(Profile, KeepsTheLargestNumbers) {
  Profile profile;
  constexpr std::uint64_t most = 0x7fff'ffff'ffff'ffff;
  profile.instructions = most;
  profile.stacks.push_back({Scope{}, LineSize{6}, {}, most, {{most, most}}});
  profile.stacks[0].kinds[1] = {{{0, 1}, {most, most - 3}}, 2};
  const Scratch scratch;
  ASSERT_TRUE(write_profile(scratch.path("p"), profile));
  EXPECT_EQ(*read_profile(scratch.path("p")), profile);
}

TEST(Profile, RowsAreAsDocumented) {
  const Scratch scratch;
  Profile profile;
  profile.threads = {{ThreadId{4}, {3, 2, 1}}};
  profile.stacks.push_back({{Scope::Kind::thread, ThreadId{4}}, LineSize{6}, {}, 2, {{1, 1}, {5, 1}}});
  profile.stacks[0].kinds = {Histogram{{{0, 2}, {1, 1}}, 0}, Histogram{{}, 2}, Histogram{{{1, 1}}, 0}};
  profile.stacks[0].write_backs = {{0, 2}, {1, 1}};
  profile.sets.push_back(
      {{Scope::Kind::thread, ThreadId{4}}, LineSize{6}, 2, {3, 2, 1}, {{2, {{{2, 1}, {0, 0}, {1, 0}}}}}});
  ASSERT_TRUE(write_profile(scratch.path("p"), profile));
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(scratch.path("p").c_str(), &database), SQLITE_OK);
  const auto rows = [&](const char* sql) {
    std::string text;
    const auto print = [](void* out, int columns, char** values, char**) {
      for (int i = 0; i < columns; ++i)
        *static_cast<std::string*>(out) += std::string(i > 0 ? "|" : "") + (values[i] ? values[i] : "");
      *static_cast<std::string*>(out) += "\n";
      return 0;
    };
    EXPECT_EQ(sqlite3_exec(database, sql, print, &text, nullptr), SQLITE_OK) << sql;
    return text;
  };
  EXPECT_EQ(rows("PRAGMA application_id"), "1668506480\n");
  EXPECT_EQ(rows("PRAGMA user_version"), "5\n");
  EXPECT_EQ(rows("SELECT * FROM recording"), "finished|1|0|0\n");
  EXPECT_EQ(rows("SELECT * FROM thread"), "4|3|2|1\n");
  EXPECT_EQ(rows("SELECT * FROM sampling"), "none|1.0|0|0|0|0\n");
  EXPECT_EQ(rows("SELECT * FROM loss"), "0|0|0\n");
  EXPECT_EQ(rows("SELECT * FROM stack"), "1|thread|4|64|2\n");
  EXPECT_EQ(rows("SELECT * FROM stack_kind"), "1|0|3|0\n1|1|2|2\n1|2|1|0\n");
  EXPECT_EQ(rows("SELECT * FROM stack_chunk"), "1|0|0|1|3|[2,1]\n1|2|1|1|1|[1]\n");
  EXPECT_EQ(rows("SELECT * FROM stack_bin"), "1|0|0|2\n1|0|1|1\n1|2|1|1\n");
  EXPECT_EQ(rows("SELECT * FROM popularity"), "1|1|1\n1|5|1\n");
  EXPECT_EQ(rows("SELECT * FROM write_back"), "1|3\n");
  EXPECT_EQ(rows("SELECT * FROM write_back_chunk"), "1|0|1|3|[2,1]\n");
  EXPECT_EQ(rows("SELECT * FROM write_back_bin"), "1|0|2\n1|1|1\n");
  EXPECT_EQ(rows("SELECT * FROM v_write_backs"), "thread|4|64|1|64|3|1\n");
  EXPECT_EQ(rows("SELECT * FROM set_profile"), "1|thread|4|64|2|3|2|1\n");
  EXPECT_EQ(rows("SELECT * FROM set_grid"), "1|2|4\n");
  EXPECT_EQ(rows("SELECT * FROM set_bin"), "1|2|0|0|2\n1|2|0|1|1\n1|2|2|0|1\n");
  EXPECT_EQ(rows("PRAGMA integrity_check"), "ok\n");
  sqlite3_close(database);
}

TEST(Profile, ReadsFilesOfVersion1) {
  const auto back = read_profile(CACHESCAPE_SOURCE_DIR "/tests/compat/version-1.cscape");
  ASSERT_TRUE(back) << back.error().what;
  Profile expected = example_profile();
  for (StackProfile& s : expected.stacks) s.write_backs.reset();
  expected.places = {};
  EXPECT_EQ(*back, expected);
}

TEST(Profile, ReadsFilesOfVersion2) {
  const auto back = read_profile(CACHESCAPE_SOURCE_DIR "/tests/compat/version-2.cscape");
  ASSERT_TRUE(back) << back.error().what;
  Profile expected = example_profile();
  expected.places.contexts.clear();
  expected.places.context_counted.clear();
  EXPECT_EQ(*back, expected);
  EXPECT_TRUE(back->stacks[1].write_backs.has_value());
}

TEST(Profile, ReadsFilesOfVersion3) {
  const auto back = read_profile(CACHESCAPE_SOURCE_DIR "/tests/compat/version-3.cscape");
  ASSERT_TRUE(back) << back.error().what;
  EXPECT_EQ(*back, example_profile());
}

TEST(Profile, ReadsFilesOfVersion5) {
  const auto back = read_profile(CACHESCAPE_SOURCE_DIR "/tests/compat/version-5.cscape");
  ASSERT_TRUE(back) << back.error().what;
  EXPECT_EQ(*back, signature_example());
  const auto sharing = read_profile(CACHESCAPE_SOURCE_DIR "/tests/compat/version-5-sharing.cscape");
  ASSERT_TRUE(sharing) << sharing.error().what;
  EXPECT_EQ(*sharing, sharing_example());
}

/// What views make of chunks of both forms is what was written.
TEST(Profile, ViewsGiveEveryBin) {
  Profile profile;
  StackProfile& stack = profile.stacks.emplace_back();
  const auto bins = [](std::uint64_t step) {
    std::vector<Bin> made;
    for (std::uint64_t i = 0; i < 9000; ++i) made.push_back({i * step + 5, i % 13 + 1});
    return made;
  };
  stack.kinds[0].bins = bins(3);
  stack.kinds[2].bins = bins(1'000'000'000'000'000);
  stack.foreign[2].bins = stack.kinds[2].bins;
  stack.write_backs = bins(7);
  CoherentProfile& degree = profile.sharing.degrees.emplace_back();
  degree.kinds[1].lost[0] = bins(1);
  degree.remote = bins(50);
  const Scratch scratch;
  ASSERT_TRUE(write_profile(scratch.path("p"), profile));
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(scratch.path("p").c_str(), &database), SQLITE_OK);
  const auto rows = [&](const std::string& sql) {
    std::vector<Bin> found;
    const auto keep = [](void* out, int, char** values, char**) {
      static_cast<std::vector<Bin>*>(out)->push_back({std::stoull(values[0]), std::stoull(values[1])});
      return 0;
    };
    EXPECT_EQ(sqlite3_exec(database, sql.c_str(), keep, &found, nullptr), SQLITE_OK) << sql;
    return found;
  };
  EXPECT_EQ(rows("SELECT distance, count FROM stack_bin WHERE stack = 1 AND kind = 0"), stack.kinds[0].bins);
  EXPECT_EQ(rows("SELECT distance, count FROM stack_bin WHERE stack = 1 AND kind = 2"), stack.kinds[2].bins);
  EXPECT_EQ(rows("SELECT distance, count FROM foreign_bin WHERE stack = 1 AND kind = 2"), stack.foreign[2].bins);
  EXPECT_EQ(rows("SELECT lines, count FROM write_back_bin WHERE stack = 1"), *stack.write_backs);
  EXPECT_EQ(rows("SELECT distance, count FROM sharing_bin WHERE sharing = 1 AND kind = 1 AND fate = 1"),
            degree.kinds[1].lost[0]);
  EXPECT_EQ(rows("SELECT lines, count FROM sharing_event_bin WHERE sharing = 1 AND event = 1"), degree.remote);
  EXPECT_EQ(rows("SELECT (SELECT count(*) FROM stack_chunk), (SELECT count(*) FROM stack_bin)").front(),
            (Bin{6, 18000}));
  sqlite3_close(database);
}

}  // namespace
}  // namespace cachescape::profile
