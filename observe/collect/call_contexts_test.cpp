#include "observe/collect/call_contexts.hpp"

#include <gtest/gtest.h>

#include "observe/collect/made_module.hpp"
#include "observe/collect/module_set.hpp"
#include "session/context.h"

namespace cachescape::collect {
namespace {

/// A session with a module of two functions, each of two blocks with a counter each.
class MadeContexts {
 public:
  MadeContexts() {
    MadeModule m;
    m.name = m.string("x.c");
    const std::uint32_t loads = m.string("loads");
    std::uint32_t counter = 0;
    for (const char* name : {"main", "work"}) {
      const std::uint32_t function = m.string(name);
      for (const std::uint32_t entry : {1u, 0u}) {
        const auto block = static_cast<std::uint32_t>(m.blocks.size());
        m.blocks.push_back({function, 0, counter, 0, 1, entry});
        m.counts.push_back({counter, block, loads, counter + 1});
        ++counter;
      }
    }
    m.counters = counter;
    module_ = &join(session, m, 0x400000);
  }

  /// Puts a context in front of the chain.
  std::uint64_t add(std::uint64_t parent, std::uint32_t first_counter, std::vector<std::uint64_t> counts,
                    std::uint32_t flags = 0) {
    cachescape_context c{};
    c.next_at = session.header().contexts_at;
    c.parent_at = parent;
    c.first_counter = first_counter;
    c.counters = static_cast<std::uint32_t>(counts.size());
    c.flags = flags;
    std::vector<std::uint8_t> bytes;
    MadeModule::append(bytes, c);
    for (const std::uint64_t n : counts) MadeModule::append(bytes, n);
    return session.header().contexts_at = put(session, bytes.data(), bytes.size());
  }
  cachescape_context& at(std::uint64_t offset) {
    return *reinterpret_cast<cachescape_context*>(reinterpret_cast<char*>(&session.header()) + offset);
  }
  cachescape_module& module() { return *module_; }
  Places counted() {
    ModuleSet modules;
    EXPECT_TRUE(modules.update(session));
    return modules.counted(session);
  }

  SessionFile session = *SessionFile::create(0);

 private:
  cachescape_module* module_ = nullptr;
};

using Rows = std::vector<ContextCounted>;

TEST(CallContexts, AddUpToTheBlocks) {
  MadeContexts made;
  const std::uint64_t root = made.add(0, 0, {}, CACHESCAPE_CONTEXT_ROOT);
  const std::uint64_t main = made.add(root, 0, {1, 10});
  made.add(main, 2, {3, 20}, CACHESCAPE_CONTEXT_RECURSIVE);
  made.add(root, 2, {5, 0});
  const Places places = made.counted();
  EXPECT_EQ(places.contexts,
            (std::vector<Context>{
                {nowhere, "main", "x.c", false, 1}, {0, "work", "x.c", true, 3}, {nowhere, "work", "x.c", false, 5}}));
  EXPECT_EQ(places.context_counted, (Rows{{0, "loads", 1 + 20}, {1, "loads", 9 + 80}, {2, "loads", 15}}));
  EXPECT_EQ(places.blocks[0].executions, 1u);
  EXPECT_EQ(places.blocks[2].executions, 8u);
  EXPECT_EQ(places.blocks[3].executions, 20u);
}

TEST(CallContexts, OfSeveralThreadsAreOne) {
  MadeContexts made;
  for (int thread = 0; thread < 3; ++thread) {
    const std::uint64_t root = made.add(0, 0, {}, CACHESCAPE_CONTEXT_ROOT);
    made.add(made.add(root, 0, {1, 0}), 2, {2, 0});
  }
  const Places places = made.counted();
  ASSERT_EQ(places.contexts.size(), 2u);
  EXPECT_EQ(places.contexts[0].calls, 3u);
  EXPECT_EQ(places.contexts[1].calls, 6u);
}

TEST(CallContexts, WhatHasNoStackIsToldApart) {
  MadeContexts made;
  const struct {
    cachescape_counters head;
    std::uint64_t counts[4];
  } plain{{0, 0, 0}, {0, 0, 7, 1}};
  made.module().counters_at = put(made.session, &plain, sizeof plain);
  const std::uint64_t others = made.add(0, 0, {}, CACHESCAPE_CONTEXT_OTHERS);
  made.add(others, 2, {4, 0}, CACHESCAPE_CONTEXT_OTHERS);
  const Places places = made.counted();
  EXPECT_EQ(places.contexts, (std::vector<Context>{{nowhere, ContextTable::no_stack, "", false, 0},
                                                   {0, "work", "x.c", false, 7},
                                                   {nowhere, ContextTable::others, "", false, 0},
                                                   {2, "work", "x.c", false, 4}}));
  EXPECT_EQ(places.blocks[2].executions, 11u);
}

TEST(CallContexts, AreAbsentWithoutAny) {
  MadeContexts made;
  EXPECT_TRUE(made.counted().contexts.empty());
}

TEST(CallContexts, SurviveLinksThatLeadNowhere) {
  MadeContexts made;
  const std::uint64_t first = made.add(0, 0, {1, 0});
  const std::uint64_t second = made.add(first, 2, {1, 0});
  // A parent that was made later, one outside the file, and itself.
  made.at(first).parent_at = second;
  EXPECT_EQ(made.counted().contexts.size(), 2u);
  EXPECT_EQ(made.counted().contexts[0].caller, nowhere);
  made.at(first).parent_at = ~std::uint64_t{0};
  made.at(second).parent_at = second;
  EXPECT_EQ(made.counted().contexts[1].caller, nowhere);
  // Chains that bite their tail, leave the file or are not aligned end there.
  made.at(first).next_at = second;
  EXPECT_EQ(read_contexts(made.session).size(), 2u);
  made.at(first).next_at = ~std::uint64_t{0} - 8;
  EXPECT_EQ(read_contexts(made.session).size(), 2u);
  made.at(second).next_at = first + 4;
  EXPECT_EQ(read_contexts(made.session).size(), 1u);
}

TEST(CallContexts, SurviveCountersThatAreNot) {
  MadeContexts made;
  const std::uint64_t outside = made.add(0, 0, {1, 0});
  made.at(outside).counters = 0xffffffff;
  EXPECT_TRUE(read_contexts(made.session).empty());
  made.at(outside).counters = 2;
  made.at(outside).first_counter = 0xffffffff;
  EXPECT_TRUE(made.counted().contexts.empty());
  made.at(outside).first_counter = 1;  // no function begins there
  EXPECT_TRUE(made.counted().contexts.empty());
  made.at(outside).first_counter = 2;
  made.at(outside).counters = 100;  // more than the module has
  EXPECT_EQ(made.counted().contexts.size(), 1u);
  made.at(outside).module = 17;
  EXPECT_TRUE(made.counted().contexts.empty());
}

TEST(CallContexts, StacksOfTooManyCallsBecomeOthers) {
  MadeContexts made;
  std::uint64_t at = 0;
  for (std::size_t i = 0; i < most_callers + 10; ++i) at = made.add(at, i % 2 == 0 ? 0 : 2, {1, 0});
  const Places places = made.counted();
  std::vector<std::size_t> callers;
  for (const Context& c : places.contexts) callers.push_back(c.caller == nowhere ? 0 : callers[c.caller] + 1);
  EXPECT_EQ(*std::ranges::max_element(callers), most_callers);
  EXPECT_TRUE(
      std::ranges::any_of(places.contexts, [](const Context& c) { return c.function == ContextTable::others; }));
  std::uint64_t calls = 0;
  for (const Context& c : places.contexts) calls += c.calls;
  EXPECT_EQ(calls, most_callers + 10);
}

}  // namespace
}  // namespace cachescape::collect
