#include "machine/validate.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>
#include <utility>

namespace cachescape::machine {
namespace {

Machine three_levels() {
  Machine m;
  m.name = "m";
  m.cores = 8;
  m.levels.resize(3);
  m.levels[0].name = "L1";
  m.levels[0].sets = 64;
  m.levels[0].ways = 8;
  m.levels[1] = m.levels[0];
  m.levels[1].name = "L2";
  m.levels[1].sets = 1024;
  m.levels[1].shared_by = 2;
  m.levels[2] = m.levels[1];
  m.levels[2].name = "L3";
  m.levels[2].shared_by = shared_by_all;
  return m;
}

TEST(Validate, AcceptsASensibleMachine) {
  Machine m = three_levels();
  EXPECT_TRUE(validate(m));
  m.levels[2].inclusion = Inclusion::inclusive;
  m.levels[2].line = LineSize{7};
  m.levels[1].inclusion = Inclusion::exclusive;
  m.levels[0].latency = 4;
  m.levels[2].latency = 4;
  m.memory_latency = 4;
  m.sources = {{"*", "a"}, {"L2.*", "b"}, {"L2.size", "c"}, {"cores", "d"}};
  EXPECT_TRUE(validate(m));
  m.levels[2].shared_by = 6;
  EXPECT_TRUE(validate(m));
}

TEST(Validate, NamesEachBrokenRule) {
  using Change = std::function<void(Machine&)>;
  struct Case {
    Change change;
    const char* what;
    const char* key;
    std::optional<std::size_t> level;
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<Case> cases = {
      {[](Machine& m) { m.levels.clear(); }, "a machine needs at least one level", "", {}},
      {[](Machine& m) { m.levels.resize(17); }, "17 levels are more than 16", "level", {}},
      {[](Machine& m) { m.cores = 4097; }, "4097 cores are more than 4096", "cores", {}},
      {[](Machine& m) { m.frequency = 0; }, "frequency_ghz must be above 0, not 0", "frequency_ghz", {}},
      {[](Machine& m) { m.memory_latency = -1; }, "memory_latency must be at least 0, not -1", "memory_latency", {}},
      {[](Machine& m) { m.levels[1].name.clear(); }, "level 2 has no name", "name", 1},
      {[](Machine& m) { m.levels[1].name = "L 2"; }, "\"L 2\" cannot be the name of a level", "name", 1},
      {[](Machine& m) { m.levels[2].name = "L1"; }, "two levels are called L1", "name", 2},
      {[](Machine& m) { m.levels[1].sets = 0; }, "L2: there must be at least 1 set", "sets", 1},
      {[](Machine& m) { m.levels[1].ways = 0; }, "L2: there must be at least 1 way", "ways", 1},
      {[](Machine& m) { m.levels[1].ways = 1048577; }, "L2: 1048577 ways are more than 1048576", "ways", 1},
      {[](Machine& m) { m.levels[1].sets = std::uint64_t{1} << 60; },
       "L2: 1152921504606846976 sets × 8 ways are more than 4294967296 lines", "size", 1},
      {[](Machine& m) { m.levels[0].line = LineSize{17}; }, "L1: the line must be at most 65536 bytes", "line", 0},
      {[](Machine& m) {
         m.levels[1].sets = std::uint64_t{1} << 28;
         m.levels[2].sets = std::uint64_t{1} << 28;
       },
       "the levels have more than 4294967296 lines in all", "size", 2},
      {[](Machine& m) { m.levels[1].shared_by = 4097; }, "L2: shared by 4097 cores, which is more than 4096",
       "shared_by", 1},
      {[](Machine& m) { m.levels[0].shared_by = 3; },
       "L2 is shared by 2 cores, which is not a multiple of the 3 that share L1", "shared_by", 1},
      {[](Machine& m) { m.levels[0].shared_by = shared_by_all; }, "L2 is shared by 2 cores, but L1 below it by all",
       "shared_by", 1},
      {[](Machine& m) { m.levels[0].inclusion = Inclusion::inclusive; },
       "L1 is the first level and cannot be inclusive", "inclusion", 0},
      {[](Machine& m) { m.levels[0].inclusion = Inclusion::exclusive; },
       "L1 is the first level and cannot be exclusive", "inclusion", 0},
      {[](Machine& m) {
         m.levels[1].inclusion = Inclusion::inclusive;
         m.levels[1].line = LineSize{5};
       },
       "L2 is inclusive, so its line of 32 bytes must be at least the 64 bytes of L1", "inclusion", 1},
      {[](Machine& m) {
         m.levels[1].inclusion = Inclusion::exclusive;
         m.levels[1].line = LineSize{7};
       },
       "L2 is exclusive, so its line of 128 bytes must equal the 64 bytes of L1", "inclusion", 1},
      {[](Machine& m) { m.levels[1].bandwidth = 0; }, "L2: bandwidth must be above 0, not 0", "bandwidth", 1},
      {[nan](Machine& m) { m.levels[1].latency = nan; }, "L2: latency must be at least 0, not nan", "latency", 1},
      {[](Machine& m) {
         m.levels[0].latency = 4;
         m.levels[2].latency = 3.5;
       },
       "L3 has a latency of 3.5, less than the 4 of L1, which is nearer to the core", "latency", 2},
      {[](Machine& m) {
         m.levels[2].latency = 40;
         m.memory_latency = 39;
       },
       "memory_latency is 39, less than the latency 40 of L3",
       "memory_latency",
       {}},
      {[](Machine& m) { m.sources = {{"L4.size", "x"}}; },
       "a source is given for \"L4.size\", which the machine does not have",
       "source",
       {}},
      {[](Machine& m) { m.sources = {{"L1.colour", "x"}}; },
       "a source is given for \"L1.colour\", which the machine does not have",
       "source",
       {}},
      {[](Machine& m) { m.sources = {{"*", "x"}, {"*", "y"}}; }, "two sources are given for \"*\"", "source", {}},
  };
  for (const Case& c : cases) {
    Machine m = three_levels();
    c.change(m);
    const auto violation = first_violation(m);
    ASSERT_TRUE(violation) << c.what;
    EXPECT_EQ(violation->error.what, c.what);
    EXPECT_EQ(violation->key, c.key) << c.what;
    EXPECT_EQ(violation->level, c.level) << c.what;
    const auto result = validate(m);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().what, c.what);
    EXPECT_EQ(result.error().where, "m");
  }
}

}  // namespace
}  // namespace cachescape::machine
