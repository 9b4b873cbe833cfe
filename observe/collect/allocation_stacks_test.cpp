// Stacks in a session are the program's word: any of it may be wrong.
#include "observe/collect/allocation_stacks.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "observe/collect/made_module.hpp"
#include "session/stack.h"

namespace cachescape::collect {
namespace {

class AllocationStacksTest : public testing::Test {
 protected:
  AllocationStacksTest() {
    MadeModule module;
    module.locations.push_back({});
    module.blocks.push_back({});
    module.sites.push_back({1, 0, 0, 0});
    join(session_, module, 0x400000);
    EXPECT_TRUE(modules_.update(session_));
  }

  std::uint64_t stack(std::uint64_t frames, std::uint64_t address) {
    cachescape_stack s{};
    s.frames = frames;
    for (std::uint64_t& f : s.frame) f = address++;
    return put(session_, &s, sizeof s);
  }

  void load(const std::string& path, std::uint64_t begin, std::uint64_t end, std::uint32_t path_bytes) {
    cachescape_loaded l{};
    l.next_at = session_.header().loaded_at;
    l.begin = begin;
    l.end = end;
    l.bias = begin;
    l.path_bytes = path_bytes;
    std::string bytes(reinterpret_cast<const char*>(&l), sizeof l);
    bytes += path;
    session_.header().loaded_at = put(session_, bytes.data(), bytes.size());
  }

  AllocationOrigin origin(std::uint64_t stack) { return stacks_.origin(0, stack, &session_, modules_); }

  SessionFile session_ = *SessionFile::create(0);
  ModuleSet modules_;
  AllocationStacks stacks_;
};

TEST_F(AllocationStacksTest, AStackThatCannotBeReadIsNone) {
  const AllocationOrigin alone{0, modules_.sites()[0].location, false};
  EXPECT_EQ(origin(0), alone);
  EXPECT_EQ(origin(~std::uint64_t{0}), alone);
  EXPECT_EQ(origin(session_.header().file_bytes - 8), alone);
  EXPECT_EQ(origin(stack(3, 0x1234)), alone);  // no file has code there
  EXPECT_EQ(stacks_.origin(7, stack(3, 1), &session_, modules_), AllocationOrigin{});
  EXPECT_FALSE(stacks_.cut());
}

TEST_F(AllocationStacksTest, FramesInFilesThatAreGoneAreNamedByTheFile) {
  load("/gone/libgone.so", 0x10000, 0x20000, 16);
  const AllocationOrigin found = origin(stack(1, 0x10101));
  ASSERT_NE(found.location, nowhere);
  const Location& site = modules_.locations()[found.location];
  ASSERT_NE(site.inlined_at, nowhere);
  EXPECT_EQ(modules_.locations()[site.inlined_at].function, "libgone.so");
  // More frames than fit are not read, and calls within one function are one.
  EXPECT_EQ(origin(stack(~std::uint64_t{0}, 0x10101)), found);
}

TEST_F(AllocationStacksTest, BrokenListsOfFilesEnd) {
  load("/gone/first.so", 0x10000, 0x20000, 14);
  auto& last =
      *reinterpret_cast<cachescape_loaded*>(reinterpret_cast<char*>(&session_.header()) + session_.header().loaded_at);
  last.next_at = session_.header().loaded_at;
  EXPECT_NE(modules_.locations()[origin(stack(1, 0x10001)).location].inlined_at, nowhere);
  load("/gone/second.so", 0x30000, 0x40000, ~std::uint32_t{0});
  EXPECT_EQ(origin(stack(1, 0x30001)).location, modules_.sites()[0].location);
  session_.header().loaded_at = ~std::uint64_t{0};
  EXPECT_EQ(origin(stack(1, 0x30002)).location, modules_.sites()[0].location);
}

TEST_F(AllocationStacksTest, TellsSoManyChainsApartAndNoMore) {
  for (std::uint64_t i = 0; i <= AllocationStacks::most_chains; ++i) {
    const std::string path = "/gone/" + std::to_string(i);
    load(path, 0x100000 * (i + 1), 0x100000 * (i + 1) + 0x1000, static_cast<std::uint32_t>(path.size()));
    EXPECT_EQ(origin(stack(1, 0x100000 * (i + 1) + 1)).others, i == AllocationStacks::most_chains);
    EXPECT_EQ(stacks_.cut(), i == AllocationStacks::most_chains);
  }
  EXPECT_TRUE(origin(CACHESCAPE_OTHER_STACK).others);
}

TEST_F(AllocationStacksTest, OfTranslatedCodeBeginWithTheirSite) {
  stacks_.add_mapping({0x1000, 0x2000, 0, 0}, {"/no/such/library.so", ""}, "/no/such/folder");
  const auto in_code = [&](std::uint32_t site, std::uint64_t at) {
    return stacks_.code_origin(site, at, &session_, modules_);
  };
  EXPECT_EQ(in_code(9, 0), (AllocationOrigin{9, nowhere, false}));
  EXPECT_EQ(in_code(9, ~std::uint64_t{0}), (AllocationOrigin{9, nowhere, false}));
  EXPECT_EQ(in_code(9, stack(3, 0x8000)), (AllocationOrigin{9, nowhere, false}));
  // Three calls in one place that has no better name than its file are one.
  const AllocationOrigin named = in_code(9, stack(3, 0x1100));
  ASSERT_NE(named.location, nowhere);
  EXPECT_EQ(modules_.locations()[named.location].function, "library.so");
  EXPECT_EQ(modules_.locations()[named.location].inlined_at, nowhere);
  EXPECT_EQ(in_code(9, stack(2, 0x1200)), named);
  EXPECT_NE(in_code(8, stack(2, 0x1200)), named);
  EXPECT_FALSE(stacks_.cut());
  EXPECT_TRUE(in_code(9, CACHESCAPE_OTHER_STACK).others);
  EXPECT_TRUE(stacks_.cut());
}

}  // namespace
}  // namespace cachescape::collect
