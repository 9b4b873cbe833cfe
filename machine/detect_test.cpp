#include "machine/detect.hpp"

#include <gtest/gtest.h>
#include <hwloc.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "machine/inline_text.hpp"
#include "machine/validate.hpp"

namespace cachescape::machine {
namespace {

using Topology = std::unique_ptr<hwloc_topology, void (*)(hwloc_topology_t)>;

/// A topology in hwloc's own short notation, whose caches `change` may alter.
template <class Change>
Topology topology_of(const char* description, Change change) {
  hwloc_topology_t raw = nullptr;
  EXPECT_EQ(hwloc_topology_init(&raw), 0);
  EXPECT_EQ(hwloc_topology_set_synthetic(raw, description), 0);
  EXPECT_EQ(hwloc_topology_load(raw), 0);
  for (const auto type : {HWLOC_OBJ_L1CACHE, HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L3CACHE}) {
    for (hwloc_obj_t o = hwloc_get_next_obj_by_type(raw, type, nullptr); o != nullptr;
         o = hwloc_get_next_obj_by_type(raw, type, o)) {
      change(type, *o);
    }
  }
  return {raw, hwloc_topology_destroy};
}

std::string source(const Machine& m, std::string_view key) {
  for (const auto& [k, text] : m.sources) {
    if (k == key) return text;
  }
  return "none";
}

constexpr const char* two_by_four = "package:1 l3:2(size=33554432) l2:4(size=524288) l1d:1(size=32768) core:1 pu:2";

TEST(Detect, TakesWhatHwlocReports) {
  const auto topology = topology_of(two_by_four, [](hwloc_obj_type_t type, hwloc_obj& o) {
    o.attr->cache.linesize = 64;
    o.attr->cache.associativity = type == HWLOC_OBJ_L3CACHE ? 16 : 8;
  });
  const auto m = machine_of_topology(topology.get());
  ASSERT_TRUE(m) << m.error().what;
  EXPECT_EQ(m->name, "host");
  EXPECT_EQ(m->cores, 8);
  EXPECT_EQ(to_inline(*m), "L1:32K,8,64 L2:512K,8,64 L3:32M,16,64,shared=4");
  EXPECT_EQ(source(*m, "L1.ways"), "reported by hwloc");
  EXPECT_EQ(source(*m, "L3.size"), "reported by hwloc");
  EXPECT_EQ(source(*m, "L3.shared_by"), "reported by hwloc");
}

TEST(Detect, AssumesWhatIsUnknownAndSaysSo) {
  const auto topology = topology_of(two_by_four, [](hwloc_obj_type_t type, hwloc_obj& o) {
    o.attr->cache.linesize = 0;
    o.attr->cache.associativity = type == HWLOC_OBJ_L1CACHE ? 0 : -1;
  });
  const auto m = machine_of_topology(topology.get());
  ASSERT_TRUE(m) << m.error().what;
  EXPECT_EQ(to_inline(*m), "L1:32K,8,64 L2:512K,16,64 L3:32M,16,64,shared=4");
  EXPECT_EQ(source(*m, "L1.line"), "assumed: hwloc reports 0");
  EXPECT_EQ(source(*m, "L1.ways"), "assumed: hwloc reports 0, which is unknown");
  EXPECT_EQ(source(*m, "L2.ways"), "assumed: hwloc reports -1, which is unknown");
}

TEST(Detect, KeepsTheSizeWhereTheWaysDoNotFit) {
  const auto topology = topology_of(two_by_four, [](hwloc_obj_type_t type, hwloc_obj& o) {
    o.attr->cache.linesize = 64;
    o.attr->cache.associativity = 8;
    if (type == HWLOC_OBJ_L2CACHE) o.attr->cache.size = std::uint64_t{64} * 21 * 13;
    if (type == HWLOC_OBJ_L3CACHE) o.attr->cache.size = 1000;
  });
  const auto m = machine_of_topology(topology.get());
  ASSERT_TRUE(m) << m.error().what;
  EXPECT_EQ(m->levels[1].ways, 13);
  EXPECT_EQ(m->levels[1].sets, 21);
  EXPECT_EQ(source(*m, "L2.ways"), "assumed: hwloc reports 8, which does not divide 273 lines");
  EXPECT_EQ(m->levels[2].lines(), 15);
  EXPECT_EQ(source(*m, "L3.size"), "rounded to whole lines: hwloc reports 1000 bytes");
}

TEST(Detect, LeavesOutCachesWithoutASize) {
  const auto topology = topology_of(two_by_four, [](hwloc_obj_type_t type, hwloc_obj& o) {
    if (type == HWLOC_OBJ_L3CACHE) o.attr->cache.size = 0;
    o.attr->cache.associativity = 8;
    o.attr->cache.linesize = 64;
  });
  EXPECT_EQ(to_inline(*machine_of_topology(topology.get())), "L1:32K,8,64 L2:512K,8,64");
}

TEST(Detect, OneCacheForAllCoresIsSharedByAll) {
  const auto unchanged = [](hwloc_obj_type_t, hwloc_obj& o) {
    o.attr->cache.associativity = 8;
    o.attr->cache.linesize = 64;
  };
  const auto four = topology_of("l2:1(size=1048576) core:4 l1d:1(size=32768) pu:1", unchanged);
  EXPECT_EQ(to_inline(*machine_of_topology(four.get())), "L1:32K,8,64 L2:1M,8,64,shared=all");
  const auto one = topology_of("l2:1(size=1048576) core:1 l1d:1(size=32768) pu:1", unchanged);
  EXPECT_EQ(to_inline(*machine_of_topology(one.get())), "L1:32K,8,64 L2:1M,8,64");
}

TEST(Detect, SaysWhereCoresDiffer) {
  bool first = true;
  const auto topology = topology_of(two_by_four, [&](hwloc_obj_type_t type, hwloc_obj& o) {
    o.attr->cache.associativity = 8;
    o.attr->cache.linesize = 64;
    if (type == HWLOC_OBJ_L2CACHE && std::exchange(first, false)) o.attr->cache.size = 1048576;
  });
  const auto m = machine_of_topology(topology.get());
  ASSERT_TRUE(m) << m.error().what;
  EXPECT_EQ(m->levels[1].size().value, 1048576);
  EXPECT_EQ(source(*m, "L2.shared_by"), "reported by hwloc; other cores have other caches");
}

TEST(Detect, FailsWithoutCaches) {
  const auto topology = topology_of("core:2 pu:1", [](hwloc_obj_type_t, hwloc_obj&) {});
  const auto m = machine_of_topology(topology.get());
  ASSERT_FALSE(m);
  EXPECT_EQ(m.error().kind, ErrorKind::unsupported);
  EXPECT_EQ(m.error().what, "hwloc finds no data caches on this computer");
}

TEST(Detect, ThisComputer) {
  const auto m = detect_host();
  if (!m) {
    EXPECT_EQ(m.error().kind, ErrorKind::unsupported) << m.error().what;
    GTEST_SKIP() << "no caches are visible here";
  }
  EXPECT_TRUE(validate(*m));
  EXPECT_GE(m->cores, 1);
  EXPECT_FALSE(m->title.empty());
}

}  // namespace
}  // namespace cachescape::machine
