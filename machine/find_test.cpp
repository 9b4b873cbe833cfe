#include "machine/find.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "machine/inline_text.hpp"

namespace cachescape::machine {
namespace {

namespace fs = std::filesystem;

class Find : public testing::Test {
 protected:
  Find() : directory_(fs::temp_directory_path() / ("cachescape-find-" + std::to_string(getpid()))) {
    fs::create_directories(directory_ / "sub");
  }
  ~Find() override { fs::remove_all(directory_); }

  fs::path write(const std::string& name, const std::string& text) {
    const fs::path path = directory_ / name;
    std::ofstream(path) << text;
    return path;
  }

  const fs::path directory_;
};

constexpr const char* one_level = "[[level]]\nname = 'L1'\nsize = '16K'\nways = 4\nline = 32\n";

TEST_F(Find, PresetsByNameInAnyCase) {
  const auto m = find("Zen4");
  ASSERT_TRUE(m) << m.error().what;
  EXPECT_EQ(m->name, "zen4");
  EXPECT_EQ(m->title, "AMD Ryzen 9 7950X (Zen 4)");
}

TEST_F(Find, InlineText) {
  EXPECT_EQ(to_inline(*find("L1:32K,8,64 L2:1M,16,64")), "L1:32K,8,64 L2:1M,16,64");
  EXPECT_EQ(to_inline(*find("32768,8,64")), "L1:32K,8,64");
  EXPECT_EQ(find("L1:x").error().where, "inline machine, character 4");
}

TEST_F(Find, FilesByPath) {
  const fs::path path = write("own.toml", one_level);
  const auto m = find(path.string());
  ASSERT_TRUE(m) << m.error().what;
  EXPECT_EQ(m->name, path.string());
  EXPECT_EQ(to_inline(*m), "L1:16K,4,32");
  const fs::path bad = write("bad.toml", "cores = 'x'\n");
  EXPECT_EQ(find(bad.string()).error().where, bad.string() + ":1:9");
}

TEST_F(Find, FilesByNameOnTheSearchPathBeforePresets) {
  write("Mine.toml", one_level);
  write("zen4.toml", "inherits = 'zen4'\ncores = 2\nsource = 'measured'\n");
  write("note.txt", "not a machine");
  const fs::path path[] = {directory_ / "missing", directory_};
  EXPECT_EQ(find("mine", path)->name, "Mine");
  const auto m = find("zen4", path);
  ASSERT_TRUE(m) << m.error().where << ": " << m.error().what;
  EXPECT_EQ(m->cores, 2);
  EXPECT_EQ(m->levels, find("zen4")->levels);
  EXPECT_FALSE(find("note", path));
}

TEST_F(Find, PresetsAreMadeOfPresets) {
  write("neoverse-v2.toml", one_level);
  const fs::path path[] = {directory_};
  EXPECT_EQ(to_inline(*find("neoverse-v2", path)), "L1:16K,4,32");
  EXPECT_EQ(find("grace", path)->levels, find("grace")->levels);
}

TEST_F(Find, FilesInheritByPathRelativeToThemselves) {
  write("base.toml", one_level);
  const fs::path child = write("sub/child.toml", "inherits = '../base.toml'\ncores = 3\n");
  const auto m = find(child.string());
  ASSERT_TRUE(m) << m.error().where << ": " << m.error().what;
  EXPECT_EQ(m->cores, 3);
  EXPECT_EQ(to_inline(*m), "L1:16K,4,32");
}

TEST_F(Find, CyclesOfFiles) {
  write("a.toml", "inherits = './b.toml'\n");
  const fs::path b = write("b.toml", "inherits = './a.toml'\n");
  const auto m = find(b.string());
  ASSERT_FALSE(m);
  const std::string a_name = (directory_ / "a.toml").string();
  EXPECT_EQ(m.error().what, b.string() + " inherits from itself: " + b.string() + " → " + a_name + " → " + b.string());
}

TEST_F(Find, SaysWhatMayHaveBeenMeant) {
  const auto m = find("zen9");
  ASSERT_FALSE(m);
  EXPECT_EQ(m.error().kind, ErrorKind::usage);
  EXPECT_EQ(m.error().what, "no machine is called \"zen9\"");
  EXPECT_EQ(m.error().hint, "did you mean zen2, zen3, zen4? \"cachescape machine list\" shows all machines");
  EXPECT_EQ(find("quantum").error().hint, "\"cachescape machine list\" shows all machines");
  EXPECT_EQ(find("hots").error().hint, "did you mean host? \"cachescape machine list\" shows all machines");
  EXPECT_EQ(find("").error().what, "no machine is named");
}

TEST_F(Find, SaysWhyAFileCannotBeRead) {
  EXPECT_EQ(find("no/such/file").error().what, "the machine file cannot be opened: No such file or directory");
  EXPECT_EQ(find("no/such/file").error().where, "no/such/file");
  EXPECT_EQ(find("nothing.toml").error().kind, ErrorKind::io);
  EXPECT_EQ(find(directory_.string()).error().what, "this is a directory, not a machine file");
  EXPECT_EQ(find("/dev/zero").error().what, "a machine file has at most 1048576 bytes, not 1048577");
}

}  // namespace
}  // namespace cachescape::machine
