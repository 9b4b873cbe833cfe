#include "machine/presets.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "machine/find.hpp"
#include "machine/hierarchy_table.hpp"
#include "machine/inline_text.hpp"
#include "machine/keys.hpp"
#include "machine/validate.hpp"

namespace cachescape::machine {
namespace {

TEST(Presets, AllLoadAndAreValid) {
  const auto names = preset_names();
  EXPECT_EQ(names.size(), 25 + 46);
  EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
  for (const std::string_view name : names) {
    const auto m = find(name);
    ASSERT_TRUE(m) << name << ": " << m.error().where << ": " << m.error().what;
    EXPECT_EQ(m->name, name);
    EXPECT_FALSE(m->title.empty()) << name;
    EXPECT_TRUE(validate(*m)) << name;
  }
}

/// Whether a key has a source: its own, or one for its whole level or machine.
bool sourced(const Machine& m, const std::string& level, std::string_view key) {
  return std::any_of(m.sources.begin(), m.sources.end(), [&](const auto& s) {
    return !s.second.empty() &&
           (s.first == "*" || s.first == level + ".*" || s.first == level + "." + std::string{key});
  });
}

TEST(Presets, EveryNumberHasASource) {
  for (const std::string_view name : preset_names()) {
    const Machine m = *find(name);
    for (const Level& l : m.levels) {
      for (const std::string_view key : {"size", "ways", "line", "shared_by", "latency"}) {
        EXPECT_TRUE(sourced(m, l.name, key)) << name << ' ' << l.name << '.' << key;
      }
    }
    for (const auto& [key, text] : m.sources) {
      EXPECT_FALSE(text.starts_with("no source given")) << name << ' ' << key;
    }
  }
}

TEST(Presets, AreTheMachinesOfThePapers) {
  const auto shape = [](std::string_view name) { return to_inline(*find(name)); };
  EXPECT_EQ(shape("i7-4770k"), "L1:32K,8,64 L2:256K,8,64 L3:8M,16,64,shared=all,inclusive");
  EXPECT_EQ(shape("pentium-d820"), "L1:16K,4,64 L2:1M,8,128");
  EXPECT_EQ(shape("core-duo"), "L1:32K,8,64 L2:2M,8,64,shared=all");
  EXPECT_EQ(shape("power4"), "L1:32K,2,128 L2:1.5M,8,128,shared=2 L3:128M,8,512,shared=all");
  EXPECT_EQ(shape("power4-evaluated"), "L1:32K,2,128 L2:358K,8,128 L3:8544K,8,512");
  EXPECT_EQ(shape("sasmm-8k-128k"), "L1:8K,8,64 L2:128K,16,64,shared=all");
  EXPECT_EQ(find("i7-4770k")->cores, 4);
  EXPECT_EQ(find("i7-4770k")->frequency, 3.5);
  EXPECT_EQ(find("power4")->cores, 8);
  EXPECT_EQ(find("power4")->levels[1].sets, 1536);
  EXPECT_EQ(find("power4-evaluated")->levels[1].sets, 358);
  EXPECT_EQ(find("power4-evaluated")->levels[2].sets, 2136);
}

TEST(Presets, AreCurrentMachines) {
  const auto shape = [](std::string_view name) { return to_inline(*find(name)); };
  EXPECT_EQ(shape("skylake-sp"), "L1:32K,8,64 L2:1M,16,64 L3:27.5M,11,64,shared=all");
  EXPECT_EQ(shape("ice-lake-sp"), "L1:48K,12,64 L2:1.25M,20,64 L3:54M,12,64,shared=all");
  EXPECT_EQ(shape("sapphire-rapids"), "L1:48K,12,64 L2:2M,16,64 L3:105M,15,64,shared=all");
  EXPECT_EQ(shape("alder-lake-p"), "L1:48K,12,64 L2:1.25M,10,64 L3:30M,12,64,shared=all");
  EXPECT_EQ(shape("raptor-lake-p"), "L1:48K,12,64 L2:2M,16,64 L3:36M,12,64,shared=all");
  EXPECT_EQ(shape("zen2"), "L1:32K,8,64 L2:512K,8,64 L3:16M,16,64,shared=4,exclusive");
  EXPECT_EQ(shape("zen5"), "L1:48K,12,64 L2:1M,16,64 L3:32M,16,64,shared=8,exclusive");
  EXPECT_EQ(shape("apple-m1"), "L1:128K,8,64 L2:12M,12,128,shared=all");
  EXPECT_EQ(shape("apple-m2"), "L1:128K,8,64 L2:16M,16,128,shared=all");
  EXPECT_EQ(shape("a64fx"), "L1:64K,4,256 L2:8M,16,256,shared=12");
  EXPECT_EQ(shape("grace"), "L1:64K,4,64 L2:1M,8,64 L3:114M,16,64,shared=all");
  EXPECT_EQ(find("skylake-sp")->levels[2].sets, 40960);
  EXPECT_EQ(find("altra")->cores, 80);
}

TEST(Presets, AreListedWithTitleAndLevels) {
  const auto list = list_presets();
  ASSERT_TRUE(list) << list.error().what;
  ASSERT_EQ(list->size(), preset_names().size());
  EXPECT_EQ(list->front().name, "a64fx");
  EXPECT_EQ(list->front().title, "Fujitsu A64FX (FX700)");
  EXPECT_EQ(list->front().levels, "L1 64 KiB 4-way (256 B lines), L2 8 MiB 16-way (256 B lines) shared by 12");
  EXPECT_EQ(list->back().name, "zen5");
}

std::string repository_file(const char* path) {
  std::ifstream in(std::string{CACHESCAPE_SOURCE_DIR} + "/" + path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

TEST(Presets, HaveTheHierarchiesOfTheChameleonDissertation) {
  std::istringstream rows(repository_file("machines/chameleon-hierarchies.csv"));
  std::string row;
  std::getline(rows, row);
  int count = 0;
  std::vector<std::string> inexact;
  while (std::getline(rows, row)) {
    ++count;
    std::replace(row.begin(), row.end(), ',', ' ');
    std::istringstream cells(row);
    std::uint64_t id = 0;
    cells >> id;
    const std::string name = "chameleon-" + std::string(id < 10 ? "0" : "") + std::to_string(id);
    const auto m = find(name);
    ASSERT_TRUE(m) << name;
    ASSERT_EQ(m->levels.size(), 2);
    for (const Level& l : m->levels) {
      std::uint64_t bytes = 0;
      std::uint64_t line = 0;
      std::uint64_t ways = 0;
      cells >> bytes >> line >> ways;
      EXPECT_EQ(l.ways, ways) << name;
      EXPECT_EQ(l.line.bytes().value, line) << name;
      if (l.sets * ways * line != bytes) {
        inexact.push_back(name + "." + l.name);
        EXPECT_EQ(l.sets, bytes / (ways * line)) << name;
      }
    }
  }
  EXPECT_EQ(count, 46);
  // These two sizes of Table 4.2 are not multiples of their ways × line.
  EXPECT_EQ(inexact, (std::vector<std::string>{"chameleon-10.L2", "chameleon-16.L2"}));
  EXPECT_EQ(find("chameleon-10")->levels[1].sets, 4778);
  EXPECT_EQ(find("chameleon-16")->levels[1].sets, 358);
  EXPECT_EQ(find("chameleon-16")->sources.back().first, "L2.size");
  EXPECT_TRUE(find("chameleon-16")
                  ->sources.back()
                  .second.ends_with("Table 4.2, ID 16, rounded down to whole sets: the table says 458752 bytes, which "
                                    "are not a multiple of 10 ways "
                                    "× 128 bytes"));
  EXPECT_EQ(find("chameleon-13")->levels[1].sets, 358);
  EXPECT_EQ(find("chameleon-46")->title, "Hierarchy of the Chameleon dissertation, no. 46");
}

TEST(HierarchyTable, RefusesWhatIsNotATable) {
  constexpr TableDescription d{"t", "T", "S"};
  const std::string header = "id,l1_bytes,l1_line,l1_ways,l2_bytes,l2_line,l2_ways\n";
  const auto error = [&](const std::string& text) { return read_hierarchy_table(text, "t.csv", d).error(); };
  EXPECT_EQ(error("x\n").what, "the first line must be \"id,l1_bytes,l1_line,l1_ways,l2_bytes,l2_line,l2_ways\"");
  EXPECT_EQ(error(header + "1,2\n").what, "a row must be 7 whole numbers, but has \"\"");
  EXPECT_EQ(error(header + "1,2,3,4,5,6,7,8\n").what, "a row must be 7 whole numbers, but has more");
  EXPECT_EQ(error(header + "1,32768,64,8,x,64,8\n").what, "a row must be 7 whole numbers, but has \"x\"");
  EXPECT_EQ(error(header + "1,32768,48,8,65536,64,8\n").what,
            "line must be a power of two from 1 to 65536 bytes, not 48");
  EXPECT_EQ(error(header + "1,32768,64,0,65536,64,8\n").what, "ways must be from 1 to 1048576, not 0");
  EXPECT_EQ(error(header + "1,100,64,2,65536,64,8\n").what, "100 bytes are less than 2 ways of 64 bytes");
  EXPECT_EQ(error(header + "1,32768,64,8,65536,64,8\n2,1,64,7,65536,64,8\n").where, "t.csv:3");
  EXPECT_TRUE(read_hierarchy_table(header, "t.csv", d)->empty());
}

}  // namespace
}  // namespace cachescape::machine
