#include "machine/toml_file.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cachescape::machine {
namespace {

using Sources = std::vector<std::pair<std::string, std::string>>;

/// Machine files by name, for inheritance.
Loader loader_of(std::map<std::string, std::string> files) {
  return [files = std::move(files)](std::string_view reference, std::string_view) -> Result<MachineText> {
    const auto found = files.find(std::string{reference});
    if (found == files.end())
      return failure(ErrorKind::usage, "no machine is called \"" + std::string{reference} + "\"");
    return MachineText{found->first, found->second};
  };
}

constexpr std::string_view complete_file = R"(
name = "demo"
title = "A machine for tests"
cores = 8
coherence = "msi"
memory_latency = 210
frequency_ghz = 3.5

[source]
"*" = "data sheet"
cores = "lscpu"

[[level]]
name = "L1"
size = "48KiB"
line = 64
ways = 12
latency = 5
bandwidth = 64.5
source = "manual"

[[level]]
name = "L2"
sets = 358
ways = 8
line = 128
shared_by = 2
replacement = "plru"
write = "through"
write_allocate = false
[level.source]
sets = "table 6.3"
"*" = "guess"

[[level]]
name = "L3"
size = 8388608
sets = 1
ways = "full"
line = 128
shared_by = "all"
inclusion = "inclusive"
replacement = "random"
)";

TEST(MachineFile, ReadsEveryKey) {
  const auto m = read_machine(complete_file, "demo.toml");
  ASSERT_TRUE(m) << m.error().where << ": " << m.error().what;
  EXPECT_EQ(m->name, "demo");
  EXPECT_EQ(m->title, "A machine for tests");
  EXPECT_EQ(m->cores, 8);
  EXPECT_EQ(m->coherence, Coherence::msi);
  EXPECT_EQ(m->memory_latency, 210);
  EXPECT_EQ(m->frequency, 3.5);
  EXPECT_EQ(
      m->sources,
      (Sources{
          {"*", "data sheet"}, {"cores", "lscpu"}, {"L1.*", "manual"}, {"L2.sets", "table 6.3"}, {"L2.*", "guess"}}));
  Level l1;
  l1.name = "L1";
  l1.sets = 64;
  l1.ways = 12;
  l1.latency = 5;
  l1.bandwidth = 64.5;
  Level l2;
  l2.name = "L2";
  l2.sets = 358;
  l2.ways = 8;
  l2.line = LineSize{7};
  l2.shared_by = 2;
  l2.replacement = Replacement::plru;
  l2.write = WritePolicy::through;
  l2.write_allocate = false;
  Level l3;
  l3.name = "L3";
  l3.ways = 65536;
  l3.line = LineSize{7};
  l3.shared_by = shared_by_all;
  l3.inclusion = Inclusion::inclusive;
  l3.replacement = Replacement::random;
  EXPECT_EQ(m->levels, (std::vector{l1, l2, l3}));
  EXPECT_EQ(m->levels[1].size().value, 366592);
}

TEST(MachineFile, TakesItsNameFromTheCallerWhereItHasNone) {
  const auto m = read_machine("[[level]]\nname = 'L1'\nsize = 512\nways = 8\nline = 64", "here");
  ASSERT_TRUE(m) << m.error().what;
  EXPECT_EQ(m->name, "here");
  EXPECT_EQ(m->title, "");
  EXPECT_EQ(m->cores, 0);
  EXPECT_EQ(m->coherence, Coherence::mesi);
  EXPECT_EQ(m->levels[0].sets, 1);
}

TEST(MachineFile, SourcesMayBeDottedKeys) {
  const auto m = read_machine(
      "[[level]]\nname = 'L1'\nsize = 512\nways = 8\nline = 64\n[source]\nL1.size = 'a'\n\"L1.ways\" = 'b'\n", "here");
  ASSERT_TRUE(m) << m.error().what;
  EXPECT_EQ(m->sources, (Sources{{"L1.size", "a"}, {"L1.ways", "b"}}));
}

TEST(MachineFile, ChildrenChangeWhatTheySay) {
  const Loader loader = loader_of({{"base", std::string{complete_file}}});
  const auto m = read_machine(R"(
inherits = "base"
cores = 16
source = "child"
[[level]]
name = "L2"
size = "1MiB"
latency = 14
source = "child's L2"
[[level]]
name = "L4"
size = "64MiB"
ways = 16
line = 128
shared_by = "all"
)",
                              "child.toml", loader);
  ASSERT_TRUE(m) << m.error().where << ": " << m.error().what;
  EXPECT_EQ(m->name, "child.toml");
  EXPECT_EQ(m->title, "A machine for tests");
  EXPECT_EQ(m->cores, 16);
  EXPECT_EQ(m->coherence, Coherence::msi);
  ASSERT_EQ(m->levels.size(), 4);
  EXPECT_EQ(m->levels[1].ways, 8);
  EXPECT_EQ(m->levels[1].sets, 1024);
  EXPECT_EQ(m->levels[1].line, LineSize{7});
  EXPECT_EQ(m->levels[1].replacement, Replacement::plru);
  EXPECT_EQ(m->levels[1].latency, 14);
  EXPECT_EQ(m->levels[3].name, "L4");
  EXPECT_EQ(m->sources, (Sources{{"*", "data sheet"},
                                 {"cores", "child"},
                                 {"L1.*", "manual"},
                                 {"L2.*", "guess"},
                                 {"L2.size", "child's L2"},
                                 {"L2.latency", "child's L2"},
                                 {"L4.size", "child"},
                                 {"L4.line", "child"},
                                 {"L4.ways", "child"},
                                 {"L4.shared_by", "child"}}));
}

TEST(MachineFile, ChangedNumbersWithoutASourceSaySo) {
  const Loader loader = loader_of({{"base", std::string{complete_file}}});
  const auto m = read_machine("inherits = 'base'\nfrequency_ghz = 4\n", "child.toml", loader);
  ASSERT_TRUE(m) << m.error().what;
  EXPECT_EQ(m->sources.back(), (std::pair<std::string, std::string>{"frequency_ghz", "no source given in child.toml"}));
}

TEST(MachineFile, OneChangedNumberKeepsTheWaysOrTheSize) {
  const Loader loader = loader_of({{"base", std::string{complete_file}}});
  const auto level = [&](const std::string& name, const std::string& change) {
    const auto m = read_machine("inherits = 'base'\n[[level]]\nname = '" + name + "'\n" + change, "child", loader);
    EXPECT_TRUE(m) << m.error().what;
    const Level& l = m->levels[name == "L1" ? 0 : 2];
    return std::pair{l.sets, l.ways};
  };
  using Pair = std::pair<std::uint64_t, std::uint64_t>;
  EXPECT_EQ(level("L1", "size = '96K'"), (Pair{128, 12}));
  EXPECT_EQ(level("L1", "ways = 8"), (Pair{96, 8}));
  EXPECT_EQ(level("L1", "sets = 128"), (Pair{128, 12}));
  EXPECT_EQ(level("L1", "line = 32"), (Pair{128, 12}));
  EXPECT_EQ(level("L1", "ways = 'full'"), (Pair{1, 768}));
  EXPECT_EQ(level("L1", "size = '32K'\nsets = 64"), (Pair{64, 8}));
  EXPECT_EQ(level("L3", "size = '4M'"), (Pair{1, 32768}));
  EXPECT_EQ(level("L3", "ways = 16"), (Pair{4096, 16}));
}

TEST(MachineFile, InheritanceIsFollowedThroughSeveralFiles) {
  const Loader loader = loader_of({
      {"a", "cores = 2\n[[level]]\nname = 'L1'\nsize = '32K'\nways = 8\nline = 64\n"},
      {"b", "inherits = 'a'\ncores = 4\n"},
  });
  const auto m = read_machine("inherits = 'b'\ntitle = 'c'", "c", loader);
  ASSERT_TRUE(m) << m.error().what;
  EXPECT_EQ(m->name, "c");
  EXPECT_EQ(m->cores, 4);
  EXPECT_EQ(m->levels[0].sets, 64);
}

TEST(MachineFile, CyclesAreFound) {
  const Loader loader = loader_of({{"a", "inherits = 'b'"}, {"b", "\ninherits = 'a'"}, {"self", "inherits = 'self'"}});
  const auto m = read_machine("inherits = 'b'", "a", loader);
  ASSERT_FALSE(m);
  EXPECT_EQ(m.error().what, "a inherits from itself: a → b → a");
  EXPECT_EQ(m.error().where, "b:2:12");
  EXPECT_EQ(read_machine("inherits = 'self'", "self", loader).error().what, "self inherits from itself: self → self");
}

TEST(MachineFile, ChainsOfInheritanceEnd) {
  const Loader endless = [](std::string_view reference, std::string_view) -> Result<MachineText> {
    return MachineText{std::string{reference} + "x", "inherits = '" + std::string{reference} + "x'"};
  };
  const auto m = read_machine("inherits = 'x'", "start", endless);
  ASSERT_FALSE(m);
  EXPECT_EQ(m.error().kind, ErrorKind::limit);
  EXPECT_EQ(m.error().what, "more than 16 machines inherit from each other");
}

TEST(MachineFile, ErrorsOfTheLoaderPointAtTheReference) {
  const auto m = read_machine("title = 't'\ninherits = 'nobody'", "f.toml", loader_of({}));
  ASSERT_FALSE(m);
  EXPECT_EQ(m.error().what, "no machine is called \"nobody\"");
  EXPECT_EQ(m.error().where, "f.toml:2:12");
  EXPECT_EQ(read_machine("inherits = 'x'", "f.toml").error().what, "inherits = \"x\" cannot be followed here");
}

}  // namespace
}  // namespace cachescape::machine
