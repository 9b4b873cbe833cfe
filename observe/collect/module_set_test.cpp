#include "observe/collect/module_set.hpp"

#include <gtest/gtest.h>

#include "observe/collect/made_module.hpp"

namespace cachescape::collect {
namespace {

MadeModule a_module() {
  MadeModule m;
  m.name = m.string("x.c");
  const std::uint32_t function = m.string("_Z4workPi"), file = m.string("/src/x.c"), loads = m.string("loads");
  const std::uint32_t call = m.string("call._Z4workPi");
  m.locations.push_back({function, file, 10, 3, 0});
  m.locations.push_back({function, file, 20, 5, 1});
  m.blocks.push_back({function, 1, 0, 0, 7, 1});
  m.blocks.push_back({function, 2, 1, 1, 3, 0});
  m.sites.push_back({2, 1, m.string("to[]"), m.string("f64")});
  m.counts.push_back({0, 0, call, 1});
  m.counts.push_back({1, 1, loads, 2});
  m.globals.push_back({0x5000, 400, m.string("table"), 1});
  m.descriptor({1, 0, 0, 0, 1}, {{0, CACHESCAPE_READ, 1, 0, 8, 0, 0}});
  m.counters = 2;
  return m;
}

TEST(ModuleSet, ReadsTablesAndCounters) {
  SessionFile session = *SessionFile::create(0);
  cachescape_module& entry = join(session, a_module(), 0x400000);
  const struct {
    cachescape_counters head;
    std::uint64_t counts[2];
  } older{{0, 0, 0}, {3, 100}};
  const std::uint64_t older_at = put(session, &older, sizeof older);
  auto newer = older;
  newer.head.next_at = older_at;
  newer.counts[1] = 50;
  entry.counters_at = put(session, &newer, sizeof newer);

  ModuleSet modules;
  ASSERT_TRUE(modules.update(session));
  const DecodedDescriptor* const descriptor = modules.find(0x400000);
  ASSERT_NE(descriptor, nullptr);
  EXPECT_EQ(descriptor->block, 1u);
  EXPECT_EQ(modules.find(0x400004), nullptr);
  EXPECT_EQ(modules.find(0x3fffff), nullptr);
  EXPECT_EQ(modules.locations()[1], (Location{"work(int*)", "/src/x.c", 20, 5, 0}));
  EXPECT_EQ(modules.sites()[0], (Site{1, 1, "to[]", "f64"}));
  EXPECT_EQ(modules.globals()[0].name, "table");

  const Places places = modules.counted(session);
  EXPECT_EQ(places.blocks[0].executions, 6u);
  EXPECT_EQ(places.blocks[1].executions, 150u);
  EXPECT_EQ(places.counted, (std::vector<Counted>{{"call.work(int*)", 0, 6}, {"loads", 1, 300}}));
}

TEST(ModuleSet, LeavesADamagedModuleOutAndGoesOn) {
  const MadeModule good = a_module();
  const std::vector<std::uint8_t> tables = good.tables();
  SessionFile session = *SessionFile::create(0);
  const auto damaged = [&](std::size_t byte, std::uint8_t value) {
    std::vector<std::uint8_t> bytes = tables;
    bytes[byte] = value;
    join(session, bytes, good.descriptors, 0x400000);
  };
  damaged(0, 0);                                              // magic
  damaged(4, 99);                                             // version
  damaged(offsetof(cachescape_tables, locations) + 3, 0xff);  // more rows than bytes
  damaged(offsetof(cachescape_tables, sites) + 3, 0xff);
  damaged(offsetof(cachescape_tables, string_bytes) + 3, 0xff);
  join(session, {tables.begin(), tables.begin() + 39}, good.descriptors, 0x400000);
  const auto bad_descriptor = [&](const cachescape_descriptor& head, const cachescape_access& access) {
    MadeModule m = good;
    m.descriptor(head, {access});
    join(session, m, 0x400000);
  };
  bad_descriptor({1, 0, 0, 0, 2}, {0, CACHESCAPE_READ, 1, 0, 8, 0, 0});     // no such block
  bad_descriptor({1, 0, 0, 0, 0}, {1, CACHESCAPE_READ, 1, 0, 8, 0, 0});     // slot outside
  bad_descriptor({1, 0, 0, 0, 0}, {0, CACHESCAPE_READ, 2, 0, 8, 0, 0});     // second lane outside
  bad_descriptor({1, 0, 0, 0, 0}, {0, CACHESCAPE_SIZED, 1, 0, 8, 0, 0});    // size outside
  bad_descriptor({1, 0, 0, 0, 0}, {0, 3, 1, 0, 8, 0, 0});                   // no such kind
  bad_descriptor({1, 0, 0, 0, 0}, {0, CACHESCAPE_READ, 0, 0, 8, 0, 0});     // no lane
  bad_descriptor({1, 0, 0, 0, 0}, {0, CACHESCAPE_READ, 1, 0, 8, 1, 0});     // no such site
  bad_descriptor({1, 0, 0, 0, 0}, {0, CACHESCAPE_STRIDED, 1, 0, 8, 0, 0});  // strided, but no loop
  bad_descriptor({0, 1, 0, 1, 0}, {1, CACHESCAPE_STRIDED, 1, 0, 8, 0, 0});  // no such base
  join(session, tables, {good.descriptors.begin(), good.descriptors.end() - 1}, 0x400000);
  MadeModule counted = good;
  counted.counts.push_back({0, 2, 0, 1});  // no such block
  join(session, counted, 0x400000);
  cachescape_module& outside = join(session, good, 0x400000);
  outside.tables_at = ~std::uint64_t{0} - 10;

  ModuleSet modules;
  EXPECT_FALSE(modules.update(session));
  EXPECT_EQ(modules.modules(), 0u);
  EXPECT_TRUE(modules.blocks().empty());
  EXPECT_TRUE(modules.sites().empty());
  join(session, good, 0x400000);
  EXPECT_TRUE(modules.update(session));
  EXPECT_EQ(modules.modules(), 1u);
  EXPECT_NE(modules.find(0x400000), nullptr);
}

TEST(ModuleSet, SurvivesStringsAndLinksThatLeadNowhere) {
  MadeModule m = a_module();
  m.locations[0] = {0xffffffff, 0xffffffff, 1, 1, 2};  // inlined at a later one
  m.blocks[0].counter = 0xffffffff;
  m.sites[0] = {0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff};
  m.strings.back() = 'x';  // not terminated
  SessionFile session = *SessionFile::create(0);
  cachescape_module& entry = join(session, m, 0x400000);
  entry.counters_at = session.header().arena_at + 1024;
  // A chain of counters that bites its tail.
  reinterpret_cast<cachescape_counters*>(reinterpret_cast<char*>(&session.header()) + entry.counters_at)->next_at =
      entry.counters_at;
  ModuleSet modules;
  ASSERT_TRUE(modules.update(session));
  EXPECT_EQ(modules.locations()[0].inlined_at, nowhere);
  EXPECT_EQ(modules.sites()[0].location, nowhere);
  EXPECT_EQ(modules.counted(session).blocks[0].executions, 0u);
}

}  // namespace
}  // namespace cachescape::collect
