// Every message that a machine file can cause, word for word.
#include <gtest/gtest.h>

#include <string>

#include "machine/toml_file.hpp"

namespace cachescape::machine {
namespace {

struct Case {
  const char* text;
  const char* where;
  const char* what;
  const char* hint = "";
};

void expect(const Case& c) {
  const auto m = read_machine(c.text, "f.toml");
  ASSERT_FALSE(m) << c.text;
  EXPECT_EQ(m.error().where, c.where) << c.text;
  EXPECT_EQ(m.error().what, c.what) << c.text;
  EXPECT_EQ(m.error().hint, c.hint) << c.text;
}

TEST(MachineFileErrors, OfTheMachine) {
  const Case cases[] = {
      {"", "f.toml:1:1", "a machine needs at least one level"},
      {"core = 8", "f.toml:1:1", "unknown key \"core\" in the machine", "did you mean \"cores\"?"},
      {"\n  zzz = 8", "f.toml:2:3", "unknown key \"zzz\" in the machine",
       "the keys are name, title, cores, coherence, memory_latency, frequency_ghz, inherits, level, source"},
      {"cores = 'eight'", "f.toml:1:9", "cores must be a whole number, not a string"},
      {"cores = 8.5", "f.toml:1:9", "cores must be a whole number, not a number"},
      {"cores = -1", "f.toml:1:9", "cores must be at least 0, not -1"},
      {"cores = 5000", "f.toml:1:9", "cores must be at most 4096, not 5000"},
      {"name = ''", "f.toml:1:8", "name must not be empty"},
      {"title = 7", "f.toml:1:9", "title must be a string, not a whole number"},
      {"coherence = 'moesi'", "f.toml:1:13", "coherence must be none, msi or mesi, not \"moesi\""},
      {"memory_latency = 'slow'", "f.toml:1:18", "memory_latency must be a number, not a string"},
      {"memory_latency = inf", "f.toml:1:18", "memory_latency must be a finite number"},
      {"frequency_ghz = 0", "f.toml:1:17", "frequency_ghz must be above 0, not 0"},
      {"source = 3", "f.toml:1:10", "source must be a string or a table, not a whole number"},
      {"[source]\ncores = 3", "f.toml:2:9", "cores must be a string, not a whole number"},
      {"level = 3", "f.toml:1:9", "level must be an array of tables, not a whole number",
       "begin each level with [[level]]"},
      {"[level]\nname = 'L1'", "f.toml:1:1", "level must be an array of tables, not a table",
       "begin each level with [[level]]"},
      {"level = [1]", "f.toml:1:10", "a level must be a table, not a whole number"},
      {"cores = 1979-05-27", "f.toml:1:9", "cores must be a whole number, not a date or time"},
  };
  for (const Case& c : cases) expect(c);
}

TEST(MachineFileErrors, OfALevel) {
  const Case cases[] = {
      {"[[level]]\nsize = '32K'", "f.toml:1:1", "a level has no name", "give each level a name, such as name = \"L1\""},
      {"[[level]]\nname = 'L1'\nsize = '32K'\nwayz = 8", "f.toml:4:1", "unknown key \"wayz\" in level L1",
       "did you mean \"ways\"?"},
      {"[[level]]\nname = 'L1'\nsize = '32Q'", "f.toml:3:8", "\"32Q\" is not a size: there is no unit \"Q\"",
       "write a number of bytes, or a number with K, M, G or T (powers of 1024): 65536, 32K, 1.5MiB"},
      {"[[level]]\nname = 'L1'\nsize = true", "f.toml:3:8",
       "size must be a size such as \"32KiB\" or a number of bytes, not true or false"},
      {"[[level]]\nname = 'L1'\nsize = -5", "f.toml:3:8", "size must be at least 1, not -5"},
      {"[[level]]\nname = 'L1'\nsize = '32K'\nways = 8", "f.toml:1:1", "L1 has no line",
       "give the line size in bytes, such as line = 64"},
      {"[[level]]\nname = 'L1'\nline = 64\nways = 8", "f.toml:1:1", "L1: two of size, ways and sets are needed"},
      {"[[level]]\nname = 'L1'\nline = 48", "f.toml:3:8", "line must be a power of two from 1 to 65536 bytes, not 48"},
      {"[[level]]\nname = 'L1'\nline = '128K'", "f.toml:3:8",
       "line must be a power of two from 1 to 65536 bytes, not 131072"},
      {"[[level]]\nname = 'L1'\nways = 0", "f.toml:3:8", "ways must be at least 1, not 0"},
      {"[[level]]\nname = 'L1'\nways = 'half'", "f.toml:3:8", "ways must be a whole number or \"full\", not a string"},
      {"[[level]]\nname = 'L1'\nsets = [64]", "f.toml:3:8", "sets must be a whole number, not an array"},
      {"[[level]]\nname = 'L1'\nsize = '32K'\nways = 8\nline = 64\nsets = 32", "f.toml:3:8",
       "L1: size 32 KiB does not agree with 32 sets × 8 ways × 64 bytes = 16 KiB",
       "two of size, ways and sets are enough"},
      {"[[level]]\nname = 'L1'\nsize = '32K'\nways = 7\nline = 64", "f.toml:3:8",
       "L1: size 32 KiB is 512 lines of 64 bytes, which do not divide into 7 ways"},
      {"[[level]]\nname = 'L1'\nsets = 9223372036854775807\nways = 8\nline = 64", "f.toml:3:8",
       "L1: 9223372036854775807 sets of 8 ways are too large a cache"},
      {"[[level]]\nname = 'L1'\nsets = 1099511627776\nways = 8\nline = 64", "f.toml:1:1",
       "L1: 1099511627776 sets × 8 ways are more than 4294967296 lines"},
      {"[[level]]\nname = 'L1'\nsize = '1G'\nways = 'full'\nline = 64", "f.toml:4:8",
       "L1: 16777216 ways are more than 1048576"},
      {"[[level]]\nname = 'L1'\nshared_by = 0", "f.toml:3:13", "shared_by must be at least 1, not 0"},
      {"[[level]]\nname = 'L1'\nshared_by = 'most'", "f.toml:3:13",
       "shared_by must be a whole number or \"all\", not a string"},
      {"[[level]]\nname = 'L1'\nreplacement = 'lur'", "f.toml:3:15",
       "replacement must be lru, plru, fifo, random or srrip, not \"lur\""},
      {"[[level]]\nname = 'L1'\nwrite = 'around'", "f.toml:3:9", "write must be back or through, not \"around\""},
      {"[[level]]\nname = 'L1'\nwrite_allocate = 'yes'", "f.toml:3:18",
       "write_allocate must be true or false, not a string"},
      {"[[level]]\nname = 'L1'\ninclusion = 'some'", "f.toml:3:13",
       "inclusion must be non-inclusive, inclusive or exclusive, not \"some\""},
      {"[[level]]\nname = 'L1'\nsize = '32K'\nways = 8\nline = 64\nlatency = -1", "f.toml:6:11",
       "L1: latency must be at least 0, not -1"},
      {"[[level]]\nname = 'L1'\nsize = '32K'\nways = 8\nline = 64\ninclusion = 'exclusive'", "f.toml:6:13",
       "L1 is the first level and cannot be exclusive"},
      {"[[level]]\nname = 'L 1'\nsize = '32K'\nways = 8\nline = 64", "f.toml:2:8",
       "\"L 1\" cannot be the name of a level", "use up to 32 letters, digits, '-' and '_', such as L1"},
      {"[[level]]\nname = 'L1'\n[level.source]\nwayz = 'x'", "f.toml:4:1", "unknown key \"wayz\" in the sources of L1",
       "did you mean \"ways\"?"},
  };
  for (const Case& c : cases) expect(c);
}

TEST(MachineFileErrors, BetweenLevels) {
  const Case cases[] = {
      {"[[level]]\nname = 'L1'\nsize = '32K'\nways = 8\nline = 64\n"
       "[[level]]\nname = 'L1'\nsize = '32K'\nways = 8\nline = 64\n",
       "f.toml:7:8", "two levels are called L1"},
      {"[[level]]\nname = 'L1'\nsize = '32K'\nways = 8\nline = 64\nlatency = 5\n"
       "[[level]]\nname = 'L2'\nsize = '64K'\nways = 8\nline = 64\nlatency = 4\n",
       "f.toml:12:11", "L2 has a latency of 4, less than the 5 of L1, which is nearer to the core"},
      {"[[level]]\nname = 'L1'\nsize = '32K'\nways = 8\nline = 64\nshared_by = 'all'\n"
       "[[level]]\nname = 'L2'\nsize = '64K'\nways = 8\nline = 64\nshared_by = 4\n",
       "f.toml:12:13", "L2 is shared by 4 cores, but L1 below it by all"},
      {"[[level]]\nname = 'L1'\nsize = '32K'\nways = 8\nline = 64\n[source]\n\"L9.size\" = 'x'\n", "f.toml:6:1",
       "a source is given for \"L9.size\", which the machine does not have"},
  };
  for (const Case& c : cases) expect(c);
}

TEST(MachineFileErrors, OfTheTomlItself) {
  const auto m = read_machine("cores = 8\ncores = 9\n", "f.toml");
  ASSERT_FALSE(m);
  EXPECT_EQ(m.error().where, "f.toml:2:9");
  EXPECT_TRUE(m.error().what.starts_with("not valid TOML: ")) << m.error().what;
  EXPECT_NE(m.error().what.find("cores"), std::string::npos) << m.error().what;

  const auto open = read_machine("title = \"no end", "f.toml");
  ASSERT_FALSE(open);
  EXPECT_EQ(open.error().kind, ErrorKind::malformed);
  EXPECT_TRUE(open.error().where.starts_with("f.toml:1:")) << open.error().where;
}

TEST(MachineFileErrors, OfCharactersThatTomlHasNoPlaceFor) {
  for (const char* text : {"line =Ñ.", "Ñ = 1", "a = 1Ñ", "a = 1'\xEF\xBB\x9F", "a = 1 \xC2\xA0", "a = tru\xE1\x9A\x81",
                           "a = [1\xE2\x81\xA1]", "a = 1\xF0\x9D\x84\x9E", "a = \xFF", "\xC3"}) {
    const auto m = read_machine(text, "f.toml");
    ASSERT_FALSE(m) << text;
    EXPECT_TRUE(m.error().where.starts_with("f.toml:1:")) << text;
    EXPECT_EQ(m.error().kind, ErrorKind::malformed);
  }
}

TEST(MachineFileErrors, OfSize) {
  const auto m = read_machine(std::string(max_file_bytes + 1, '\n'), "f.toml");
  ASSERT_FALSE(m);
  EXPECT_EQ(m.error().kind, ErrorKind::limit);
  EXPECT_EQ(m.error().what, "a machine file has at most 1048576 bytes, not 1048577");

  std::string levels;
  for (int i = 1; i <= 17; ++i) levels += "[[level]]\nname = 'L" + std::to_string(i) + "'\n";
  EXPECT_EQ(read_machine(levels, "f.toml").error().what, "17 levels are more than 16");
}

}  // namespace
}  // namespace cachescape::machine
