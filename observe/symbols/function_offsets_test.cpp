#include "observe/symbols/function_offsets.hpp"

#include <gtest/gtest.h>

#include "observe/symbols/elf_file.hpp"
#include "observe/symbols/symbol_table.hpp"

namespace cachescape::symbols {
namespace {

TEST(FunctionNames, AreAsReportsShowThemOrAsTheLinkerDoes) {
  EXPECT_TRUE(is_named("main", "main"));
  EXPECT_FALSE(is_named("main_loop", "main"));
  EXPECT_FALSE(is_named("mai", "main"));
  EXPECT_TRUE(is_named("solve.constprop.0", "solve"));
  EXPECT_TRUE(is_named("solve.isra.0", "solve"));
  EXPECT_FALSE(is_named("solve.cold", "solve"));
  EXPECT_TRUE(is_named("_ZN5phase5beginEi", "_ZN5phase5beginEi"));
  EXPECT_TRUE(is_named("_ZN5phase5beginEi", "phase::begin"));
  EXPECT_TRUE(is_named("_ZN5phase5beginEi", "phase::begin(int)"));
  EXPECT_FALSE(is_named("_ZN5phase5beginEi", "phase::begin(char const*)"));
  EXPECT_FALSE(is_named("_ZN5phase5beginEi", "begin"));
  EXPECT_FALSE(is_named("_ZN5phase6begin2Ei", "phase::begin"));
}

TEST(FunctionOffsets, LeadBackToTheirFunctions) {
  const std::string own = "/proc/self/exe";
  const auto offsets = function_offsets(own, "main");
  ASSERT_TRUE(offsets);
  ASSERT_EQ(offsets->size(), 1u);
  const auto file = ElfFile::open(own);
  ASSERT_TRUE(file);
  const auto address = file->address_at(offsets->front());
  ASSERT_TRUE(address);
  const SymbolTable table = SymbolTable::of(*file);
  const Symbol* const found = table.function_at(*address);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->name, "main");
  EXPECT_EQ(found->address, *address);
  EXPECT_TRUE(function_offsets(own, "no_such_function")->empty());
  EXPECT_FALSE(function_offsets("/no/such/file", "main"));
}

TEST(FunctionOffsets, AreOfWhatTheFileHas) {
  const auto file = ElfFile::open("/proc/self/exe");
  ASSERT_TRUE(file);
  EXPECT_FALSE(file->offset_of(~std::uint64_t{0}));
}

}  // namespace
}  // namespace cachescape::symbols
