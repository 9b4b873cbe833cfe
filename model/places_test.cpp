#include "model/places.hpp"

#include <gtest/gtest.h>

#include "machine/inline_text.hpp"
#include "model/kind_counts.hpp"
#include "model/places_example.hpp"

namespace cachescape::model {
namespace {

machine::Machine machine_of(const char* text) { return *machine::read_inline(text); }

std::vector<std::string> names_of(const PlaceTable& table) {
  std::vector<std::string> names;
  for (const PlaceRow& row : table.rows) names.push_back(row.group.name);
  return names;
}

using Names = std::vector<std::string>;
using Misses = std::vector<KindCounts>;

// L1 has 32 lines, L2 has 64.
const machine::Machine two_levels = machine_of("L1:2K,full,64 L2:4K,full,64");

TEST(Places, ByFunctionKeepsInlinedFunctionsApart) {
  const PlaceTable table = places_of(example_program(), two_levels, Grouping::function);
  EXPECT_EQ(table.levels, (std::vector<PlaceLevel>{{"L1", 32}, {"L2", 64}}));
  ASSERT_EQ(names_of(table), (Names{"get", "main", "sum"}));
  const PlaceRow& get = table.rows[0];
  EXPECT_EQ(get.accesses, (KindCounts{10, 0, 0}));
  EXPECT_EQ(get.bytes, 80u);
  EXPECT_EQ(get.touches, (KindCounts{10, 0, 0}));
  EXPECT_EQ(get.cold, (KindCounts{}));
  EXPECT_EQ(get.misses, (Misses{{5, 0, 0}, {2, 0, 0}}));
  EXPECT_EQ(table.rows[1].misses, (Misses{{0, 4, 0}, {0, 4, 0}}));
  EXPECT_EQ(table.rows[1].cold, (KindCounts{0, 4, 0}));
  EXPECT_EQ(table.total.accesses, (KindCounts{10, 8, 6}));
  EXPECT_EQ(table.total.bytes, 192u);
  EXPECT_EQ(table.total.misses, (Misses{{5, 4, 1}, {2, 4, 1}}));
  EXPECT_TRUE(table.notes.empty());
}

TEST(Places, ByContainerPutsInlinedCodeWhereItRuns) {
  const PlaceTable table = places_of(example_program(), two_levels, Grouping::container);
  ASSERT_EQ(names_of(table), (Names{"main", "sum"}));
  EXPECT_EQ(table.rows[1].accesses, (KindCounts{10, 0, 6}));
  EXPECT_EQ(table.rows[1].misses, (Misses{{5, 0, 1}, {2, 0, 1}}));
}

TEST(Places, ByLineVariableObjectAndBlock) {
  const Profile profile = example_program();
  const PlaceTable lines = places_of(profile, two_levels, Grouping::line);
  EXPECT_EQ(names_of(lines), (Names{"get.h:2", "sum.c:12", "sum.c:7"}));
  EXPECT_EQ(lines.rows[1].group.file, "sum.c");
  EXPECT_EQ(lines.rows[1].group.line, 12u);
  const PlaceTable variables = places_of(profile, two_levels, Grouping::variable);
  ASSERT_EQ(names_of(variables), (Names{"a[]", "total"}));
  EXPECT_EQ(variables.rows[0].accesses, (KindCounts{10, 8, 0}));
  EXPECT_EQ(variables.rows[0].misses, (Misses{{5, 4, 0}, {2, 4, 0}}));
  const PlaceTable objects = places_of(profile, two_levels, Grouping::object);
  ASSERT_EQ(names_of(objects), (Names{"main", "total"}));
  EXPECT_EQ(objects.rows[0].group.line, 12u);
  EXPECT_EQ(objects.rows[0].misses, variables.rows[0].misses);
  EXPECT_EQ(objects.total.misses, lines.total.misses);
  const PlaceTable blocks = places_of(profile, two_levels, Grouping::block);
  ASSERT_EQ(names_of(blocks), (Names{"sum.c:12", "sum.c:7"}));
  EXPECT_EQ(blocks.rows[1].group.function, "sum");
  EXPECT_EQ(blocks.rows[1].group.number, 1u);
}

TEST(Places, CodeWithoutLinesIsToldByItsFunction) {
  Profile profile = example_program();
  for (Location& l : profile.places.locations) l.file.clear();
  const PlaceTable table = places_of(profile, two_levels, Grouping::line);
  EXPECT_EQ(names_of(table), names_of(places_of(profile, two_levels, Grouping::function)));
  EXPECT_EQ(table.rows[0].group.file, "");
}

TEST(Places, WhatIsUnknownIsOneGroup) {
  Profile profile = example_program();
  for (Site& s : profile.places.sites) s = Site{};
  const PlaceTable table = places_of(profile, two_levels, Grouping::function);
  ASSERT_EQ(names_of(table), (Names{""}));
  EXPECT_EQ(table.rows[0].misses, table.total.misses);
  // A symbol is better than nothing.
  profile.places.sites[0].block = 0;
  EXPECT_EQ(names_of(places_of(profile, two_levels, Grouping::function)), (Names{"", "main"}));
  profile.places.blocks[0].location = nowhere;
  EXPECT_EQ(names_of(places_of(profile, two_levels, Grouping::block)), (Names{"", "block 1"}));
}

TEST(Places, NumbersOfLinesAreWhatPlaceDistancesCanTell) {
  // 4,160 bytes are 65 lines, 1000001 in binary. A level of 128-byte lines keeps its bytes.
  const PlaceTable table =
      places_of(example_program(), machine_of("L1:4160,full,64 L2:8K,full,128"), Grouping::function);
  EXPECT_EQ(table.levels, (std::vector<PlaceLevel>{{"L1", 64}, {"L2", 128}}));
  EXPECT_EQ(table.rows[0].misses, (Misses{{2, 0, 0}, {0, 0, 0}}));
  ASSERT_EQ(table.notes.size(), 2u);
  EXPECT_EQ(table.notes[1], "L1 is judged by place with 64 lines instead of 65: distances are rounded");
}

TEST(Places, SayWhatTheyDoNotModel) {
  const PlaceTable table =
      places_of(example_program(), machine_of("L1:2K,8,64 L2:4K,full,64 L3:8K,8,128"), Grouping::function);
  EXPECT_EQ(table.notes, (std::vector<std::string>{
                             "misses by place are those of fully associative LRU caches with 64-byte lines; set "
                             "associative: L1 and L3; with other lines: L3"}));
}

TEST(Places, SeveralInstancesAreOneCache) {
  Profile profile = example_program();
  profile.threads.push_back({ThreadId{1}, {}});
  const PlaceTable table = places_of(profile, machine_of("L1:2K,full,64"), Grouping::function);
  EXPECT_EQ(table.levels, (std::vector<PlaceLevel>{{"L1", 64}}));
  EXPECT_EQ(table.notes,
            (std::vector<std::string>{"several instances are judged by place as one cache with the lines of all: L1"}));
}

TEST(Places, AnExclusiveLevelHoldsLinesWithTheNearerOnes) {
  machine::Machine machine = machine_of("L1:2K,full,64 L2:4K,full,64");
  machine.levels[1].inclusion = machine::Inclusion::exclusive;
  EXPECT_EQ(places_of(example_program(), machine, Grouping::function).levels,
            (std::vector<PlaceLevel>{{"L1", 32}, {"L2", 96}}));
}

TEST(Places, SampledCountsStandForTheWholeProgram) {
  Profile profile = example_program();
  profile.sampling.method = Sampling::Method::interval;
  profile.sampling.rate = 0.25;
  profile.sampling.analysed = 6;  // of 24
  const PlaceTable interval = places_of(profile, two_levels, Grouping::function);
  EXPECT_EQ(interval.rows[0].touches, (KindCounts{40, 0, 0}));
  EXPECT_EQ(interval.rows[0].misses, (Misses{{20, 0, 0}, {8, 0, 0}}));
  EXPECT_EQ(interval.rows[1].cold, (KindCounts{0, 16, 0}));
  // Lines chosen by hash: the accesses are known, so that hits give way.
  profile.sampling.method = Sampling::Method::shards_rate;
  profile.sampling.rate = 0.5;
  const PlaceTable lines = places_of(profile, two_levels, Grouping::function);
  EXPECT_EQ(lines.rows[1].touches, (KindCounts{0, 8, 0}));
  EXPECT_EQ(lines.rows[1].misses, (Misses{{0, 8, 0}, {0, 8, 0}}));
  EXPECT_EQ(lines.rows[0].touches, (KindCounts{20, 0, 0}));
}

TEST(Places, AreSortedByTheLinesThatAllLevelsFetch) {
  PlaceTable table = places_of(example_program(), two_levels, Grouping::function);
  sort(table.rows, PlaceOrder::misses);
  EXPECT_EQ(names_of(table), (Names{"main", "get", "sum"}));  // 4 + 4, 5 + 2 and 1 + 1
  sort(table.rows, PlaceOrder::accesses);
  EXPECT_EQ(names_of(table), (Names{"get", "main", "sum"}));  // 10, 8 and 6
  table.rows[2].bytes = 100;
  sort(table.rows, PlaceOrder::bytes);
  EXPECT_EQ(names_of(table), (Names{"sum", "get", "main"}));
}

TEST(Grouping, HasNames) {
  for (const Grouping g : {Grouping::function, Grouping::container, Grouping::line, Grouping::variable,
                           Grouping::object, Grouping::block}) {
    EXPECT_EQ(grouping_named(name_of(g)), g);
  }
  EXPECT_EQ(name_of(Grouping::variable), "variable");
  EXPECT_FALSE(grouping_named("module"));
}

}  // namespace
}  // namespace cachescape::model
