#include "machine/inline_text.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace cachescape::machine {
namespace {

Level level(std::string name, std::uint64_t sets, std::uint64_t ways, unsigned line_log2 = 6) {
  Level l;
  l.name = std::move(name);
  l.sets = sets;
  l.ways = ways;
  l.line = LineSize{line_log2};
  return l;
}

TEST(InlineText, ReadsLevels) {
  const auto m = read_inline("L1:32K,8,64 L2:1M,16,64");
  ASSERT_TRUE(m) << m.error().what;
  EXPECT_EQ(m->name, "L1:32K,8,64 L2:1M,16,64");
  EXPECT_EQ(m->cores, 0);
  EXPECT_EQ(m->coherence, Coherence::mesi);
  EXPECT_EQ(m->levels, (std::vector{level("L1", 64, 8), level("L2", 1024, 16)}));
  for (const char* same : {"L1:32K,8,64;L2:1M,16,64", "L1:32K,8,64+L2:1M,16,64", "  L1:32KiB,8,64B ; L2:1MiB,16,64 "}) {
    EXPECT_EQ(read_inline(same)->levels, m->levels) << same;
  }
}

TEST(InlineText, ReadsOneLevelAsCachegrindWritesIt) {
  const auto m = read_inline("32768,8,64");
  ASSERT_TRUE(m) << m.error().what;
  EXPECT_EQ(m->levels, std::vector{level("L1", 64, 8)});
}

TEST(InlineText, ReadsOptions) {
  const auto m =
      read_inline("L1:4K,full,32,fifo,through,no-allocate L2:48K,12,64,shared=4,srrip,inclusive L3:1M,1,64,shared=all");
  ASSERT_TRUE(m) << m.error().what;
  Level l1 = level("L1", 1, 128, 5);
  l1.replacement = Replacement::fifo;
  l1.write = WritePolicy::through;
  l1.write_allocate = false;
  Level l2 = level("L2", 64, 12);
  l2.shared_by = 4;
  l2.replacement = Replacement::srrip;
  l2.inclusion = Inclusion::inclusive;
  Level l3 = level("L3", 16384, 1);
  l3.shared_by = shared_by_all;
  EXPECT_EQ(m->levels, (std::vector{l1, l2, l3}));
  EXPECT_EQ(to_inline(*m),
            "L1:4K,full,32,fifo,through,no-allocate L2:48K,12,64,shared=4,srrip,inclusive L3:1M,1,64,shared=all");
}

TEST(InlineText, PointsAtWhatIsWrong) {
  struct Case {
    const char* text;
    const char* what;
    std::size_t character;
    const char* hint;
  };
  constexpr const char* example = "write each level as name:size,ways,line, such as L1:32K,8,64";
  const Case cases[] = {
      {"", "the machine is empty", 1, example},
      {" ; ", "the machine is empty", 1, example},
      {"L1", "\"L1\" must be size,ways,line", 1, example},
      {"L1:32K,8", "\"32K,8\" must be size,ways,line", 4, example},
      {"L1:32K,8,64 1M,16,64", "\"1M,16,64\" has no level name", 13, example},
      {"L1:32Q,8,64", "\"32Q\" is not a size: there is no unit \"Q\"", 4,
       "write a number of bytes, or a number with K, M, G or T (powers of 1024): 65536, 32K, 1.5MiB"},
      {"L1:32K,eight,64", "ways must be a whole number or \"full\", not \"eight\"", 8, ""},
      {"L1:32K,-8,64", "ways must be a whole number or \"full\", not \"-8\"", 8, ""},
      {"L1:32K,99999999999999999999,64", "ways must be a whole number or \"full\", not \"99999999999999999999\"", 8,
       ""},
      {"L1:32K,0,64", "ways must be at least 1, not 0", 8, ""},
      {"L1:32K,7,64", "size 32 KiB is 512 lines of 64 bytes, which do not divide into 7 ways", 4, ""},
      {"L1:32K,8,48", "line must be a power of two from 1 to 65536 bytes, not 48", 10, ""},
      {"L1:1G,full,64", "L1: 16777216 ways are more than 1048576", 7, ""},
      {"L1:32K,8,64,lur", "unknown option \"lur\"", 13, "did you mean \"lru\"?"},
      {"L1:32K,8,64,", "unknown option \"\"", 13,
       "the options are shared=N, shared=all, lru, plru, fifo, random, srrip, inclusive, exclusive, non-inclusive, "
       "back, through, allocate, no-allocate"},
      {"L1:32K,8,64,lru,fifo", "\"fifo\" comes after another option of its kind", 17, ""},
      {"L1:32K,8,64,shared=0", "shared must be from 1 to 4096, or \"all\", not 0", 20, ""},
      {"L1:32K,8,64,shared=x", "shared must be a whole number or \"all\", not \"x\"", 20, ""},
      {"L1:32K,8,64,inclusive", "L1 is the first level and cannot be inclusive", 13, ""},
      {"L1:32K,8,64 L1:1M,16,64", "two levels are called L1", 13, ""},
      {"L1:32K,8,64,shared=4 L2:1M,16,64,shared=6",
       "L2 is shared by 6 cores, which is not a multiple of the 4 that share L1", 34, ""},
      {":32K,8,64", "level 1 has no name", 1, ""},
  };
  for (const Case& c : cases) {
    const auto m = read_inline(c.text);
    ASSERT_FALSE(m) << c.text;
    EXPECT_EQ(m.error().what, c.what) << c.text;
    EXPECT_EQ(m.error().where, "inline machine, character " + std::to_string(c.character)) << c.text;
    EXPECT_EQ(m.error().hint, c.hint) << c.text;
  }
}

TEST(InlineText, RefusesWhatIsTooLong) {
  EXPECT_EQ(read_inline(std::string(4097, 'x')).error().what,
            "an inline machine has at most 4096 characters, not 4097");
  std::string levels;
  for (int i = 1; i <= 17; ++i) levels += "L" + std::to_string(i) + ":32K,8,64 ";
  EXPECT_EQ(read_inline(levels).error().what, "17 levels are more than 16");
}

TEST(InlineText, IsRecognised) {
  EXPECT_TRUE(looks_inline("L1:32K,8,64"));
  EXPECT_TRUE(looks_inline("32768,8,64"));
  EXPECT_FALSE(looks_inline("zen4"));
  EXPECT_FALSE(looks_inline("32768"));
  EXPECT_FALSE(looks_inline(""));
}

}  // namespace
}  // namespace cachescape::machine
