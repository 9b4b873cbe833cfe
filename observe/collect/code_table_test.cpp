#include "observe/collect/code_table.hpp"

#include <array>
#include <map>

#include <gtest/gtest.h>

#include "observe/collect/code_places.hpp"
#include "observe/collect/kept_accesses.hpp"
#include "observe/collect/made_code.hpp"

namespace cachescape::collect {
namespace {

constexpr std::uint64_t low = 0x10000;

cachescape_code_access access(unsigned slot, unsigned witness, unsigned kind, unsigned size, std::int32_t offset = 0,
                              std::int32_t code = 0) {
  return {static_cast<std::uint16_t>(slot),
          static_cast<std::uint16_t>(witness),
          static_cast<std::uint16_t>(size),
          static_cast<std::uint8_t>(kind),
          0,
          offset,
          code};
}

using Expected = std::vector<Seen>;

class TranslatedCode : public testing::Test {
 protected:
  TranslatedCode() : session_(*SessionFile::create(CACHESCAPE_WANT_ACCESSES)) {
    code_.mapping(0x400000, 0x402000, 0x1000, "/no/such/program");
    code_.mapping(0x600000, 0x601000, 0, "/no/such/library.so");
    // Two stretches; the second one uses the first one's base, and has a guarded access.
    two_ = code_.descriptor(0x400100, 1, 3,
                            {access(0, 0, CACHESCAPE_READ, 8, 16), access(0, 0, CACHESCAPE_MODIFY, 4, -8, 4),
                             access(2, 2, CACHESCAPE_WRITE, 2, 0, 8), access(0, 1, CACHESCAPE_WRITE, 16, 32, 12)});
    site_ = code_.descriptor(0x400200, 1, 0, {access(0, 0, CACHESCAPE_READ, 0)});
    kernel_ = code_.descriptor(0x400250, 1, 0, {access(0, 0, CACHESCAPE_CODE_KERNEL, 0)});
    empty_ = code_.descriptor(0x400300, 0, 0, {});
    join(session_, code_);
    context_.session = &session_;
  }

  Expected decoded(const std::vector<std::uint64_t>& words, std::size_t batch_size = 16) {
    KeptAccesses keeper;
    PackedBatch batch(batch_size);
    decoder_.decode(words, batch, keeper);
    keeper.take(batch);
    return keeper.seen;
  }

  SessionFile session_;
  MadeCode code_;
  std::uint64_t two_, site_, kernel_, empty_;
  DecoderContext context_;
  std::vector<Error> problems_;
  RecordDecoder decoder_{context_, ThreadId{0}};
};

TEST_F(TranslatedCode, StretchesThatWereReachedGiveTheirAccesses) {
  const Seen first{low + 16, 8, AccessKind::read}, second{low - 8, 4, AccessKind::modify};
  const Seen guarded{0x70000, 2, AccessKind::write}, last{low + 32, 16, AccessKind::write};
  EXPECT_EQ(decoded({two_, low, low, 0x70000}), (Expected{first, second, guarded, last}));
  EXPECT_EQ(decoded({two_, low, low, 0}), (Expected{first, second, last}));
  EXPECT_EQ(decoded({two_, low, 0, 0}), (Expected{first, second}));
  EXPECT_EQ(decoded({two_, 0, 0, 0, two_, low, 0, 0}), (Expected{first, second}));
  EXPECT_EQ(decoded({empty_, two_, low, 0, 0}), (Expected{first, second}));
  EXPECT_EQ(context_.broken_blocks, 0u);
}

TEST_F(TranslatedCode, WhatIsNotWantedIsCounted) {
  KeptAccesses keeper;
  PackedBatch batch;
  keeper.unwanted_accesses = 9;
  // Of the first record two of four accesses were made, of the second all; the third may have more than are unwanted.
  decoder_.decode(std::vector{two_, low, std::uint64_t{0}, std::uint64_t{0}, two_, low, low, low, two_, low, low, low},
                  batch, keeper);
  EXPECT_EQ(batch.size(), 4u);
  EXPECT_EQ(keeper.passed, (KindCounts{2, 2, 2}));
  EXPECT_EQ(keeper.passed_bytes, 42u);
}

TEST_F(TranslatedCode, BatchesMayBeSmallerThanARecord) {
  EXPECT_EQ(decoded({two_, low, low, 0x70000}, 1).size(), 4u);
  EXPECT_EQ(decoded({two_, low, low, 0x70000, two_, low, low, 0x70000}, 3).size(), 8u);
}

TEST_F(TranslatedCode, ThreadsTakeTurns) {
  EXPECT_EQ(decoded({CACHESCAPE_THREAD, 7, two_, low, 0, 0, CACHESCAPE_THREAD, 2, two_, low, 0, 0}),
            (Expected{{low + 16, 8, AccessKind::read, 7},
                      {low - 8, 4, AccessKind::modify, 7},
                      {low + 16, 8, AccessKind::read, 2},
                      {low - 8, 4, AccessKind::modify, 2}}));
  EXPECT_EQ(decoded({CACHESCAPE_THREAD, ~std::uint64_t{0}, two_, low, 0, 0}), Expected{});
  EXPECT_EQ(context_.broken_blocks, 1u);
}

TEST_F(TranslatedCode, BrokenRecordsEndTheirBlock) {
  std::uint64_t count = 0;
  for (const std::vector<std::uint64_t>& words : std::vector<std::vector<std::uint64_t>>{
           {two_, low, 0}, {two_ + 3, low, 0, 0}, {~std::uint64_t{0}, low}, {CACHESCAPE_STACK, 1}}) {
    EXPECT_EQ(decoded(words), Expected{}) << words[0];
    EXPECT_EQ(context_.broken_blocks, ++count) << words[0];
  }
}

TEST_F(TranslatedCode, WhatTheKernelAccessesIsItsCallers) {
  EXPECT_EQ(decoded({CACHESCAPE_KERNEL, kernel_, low, 5000, CACHESCAPE_WRITE, two_, low, 0, 0}),
            (Expected{{low, 4096, AccessKind::write},
                      {low + 4096, 904, AccessKind::write},
                      {low + 16, 8, AccessKind::read},
                      {low - 8, 4, AccessKind::modify}}));
  EXPECT_EQ(decoded({CACHESCAPE_KERNEL, kernel_, low, 0, CACHESCAPE_READ}), Expected{});
  EXPECT_EQ(context_.broken_blocks, 0u);
  const Places places = places_of_code(context_, std::vector<bool>(context_.code.sites().size(), true), problems_);
  const std::uint32_t site = context_.code.accesses_of(*context_.code.find(kernel_))->site;
  EXPECT_EQ(places.locations[places.sites[site].location].function, "[kernel]");
  EXPECT_EQ(places.blocks[places.sites[site].block].function, "(program)");
}

TEST(CodeFiles, AreToldApartByTheirBuildIds) {
  SessionFile session = *SessionFile::create(0);
  MadeCode code;
  code.mapping(0x1000, 0x2000, 0, "/lib/a.so", {0xab, 0x01, 0x02});
  code.mapping(0x1000, 0x2000, 0, "/lib/a.so", {0xab, 0x01, 0x03});
  code.mapping(0x3000, 0x4000, 0, "/lib/a.so", {0xab, 0x01, 0x02});
  code.mapping(0x5000, 0x6000, 0, "/lib/a.so");
  join(session, code);
  CodeTable table;
  ASSERT_TRUE(table.update(session));
  EXPECT_EQ(table.files(),
            (std::vector<CodeFile>{{"/lib/a.so", "ab0102"}, {"/lib/a.so", "ab0103"}, {"/lib/a.so", ""}}));
  ASSERT_EQ(table.mappings().size(), 4u);
  EXPECT_EQ(table.mappings()[2].file, 0u);
}

TEST(CodeFiles, WithBuildIdsBeyondTheirEntryAreBroken) {
  for (const std::uint32_t bytes : {9u, 64u, 65u, ~0u}) {
    SessionFile session = *SessionFile::create(0);
    MadeCode code;
    code.mapping(0x1000, 0x2000, 0, "/lib/a.so", {1, 2, 3});
    std::memcpy(code.mappings.data() + offsetof(cachescape_mapping, build_id_bytes), &bytes, sizeof bytes);
    join(session, code);
    CodeTable table;
    EXPECT_FALSE(table.update(session)) << bytes;
    EXPECT_TRUE(table.mappings().empty());
  }
}

TEST_F(TranslatedCode, BrokenAccessesOfTheKernelEndTheirBlock) {
  const std::vector<std::vector<std::uint64_t>> broken = {
      {CACHESCAPE_KERNEL, kernel_, low, 8},                          // not all there
      {CACHESCAPE_KERNEL, kernel_, low, 8, CACHESCAPE_MODIFY + 1},   // no such kind
      {CACHESCAPE_KERNEL, kernel_ + 1000, low, 8, CACHESCAPE_READ},  // no such site
      {CACHESCAPE_KERNEL, empty_, low, 8, CACHESCAPE_READ},          // names none
      {CACHESCAPE_KERNEL, 0x400100, low, 8, CACHESCAPE_READ},        // no translated code
  };
  for (auto words : broken) {
    const auto before = context_.broken_blocks;
    words.insert(words.end(), {two_, low, 0, 0});
    EXPECT_EQ(decoded(words), Expected{});
    EXPECT_EQ(context_.broken_blocks, before + 1);
  }
  context_.most_bytes = 100;
  EXPECT_EQ(decoded({CACHESCAPE_KERNEL, kernel_, low, 1 << 20, CACHESCAPE_READ}),
            (Expected{{low, 100, AccessKind::read}}));
  EXPECT_EQ(context_.cut_records, 1);
}

TEST_F(TranslatedCode, ObjectsBelongToTheirSites) {
  decoded({CACHESCAPE_ALLOCATED, low, 100, site_, CACHESCAPE_STACK, 0x80000, 0x90000, CACHESCAPE_MAPPED, 0,
           CACHESCAPE_MAPPED, 99});
  EXPECT_EQ(context_.broken_blocks, 0u);
  ASSERT_EQ(context_.objects.objects().size(), 2u);
  EXPECT_EQ(context_.objects.object_at(low + 99), 0u);
  EXPECT_EQ(context_.objects.object_at(0x8ffff), 1u);
  const Places places = places_of_code(context_, std::vector<bool>(context_.code.sites().size(), true), problems_);
  EXPECT_EQ(places.objects[0].name, "(program)");
  EXPECT_EQ(places.sites.size(), context_.code.sites().size());
}

TEST_F(TranslatedCode, OneInstructionIsOneSiteWhereverItsFileLies) {
  ASSERT_TRUE(context_.code.update(session_));
  const std::size_t before = context_.code.sites().size();
  // The same file elsewhere, and another file at the same address.
  MadeCode more;
  more.mapping(0x800000, 0x802000, 0x1000, "/no/such/program");
  more.mapping(0x400000, 0x402000, 0x1000, "/no/such/other");
  const std::uint64_t moved = put_part(session_, more.mappings);
  auto* const memory = reinterpret_cast<char*>(&session_.header());
  auto* const tables = reinterpret_cast<cachescape_code*>(memory + session_.header().code_at);
  reinterpret_cast<cachescape_part*>(memory + tables->mappings_at)->next_at = moved;
  MadeCode late;
  late.count = code_.count;
  late.descriptor(0x800100, 3, 1, {access(0, 0, CACHESCAPE_READ, 8)});
  late.descriptor(0x400100, 4, 1, {access(0, 0, CACHESCAPE_READ, 8)});
  reinterpret_cast<cachescape_part*>(memory + tables->descriptors_at)->next_at = put_part(session_, late.descriptors);
  ASSERT_TRUE(context_.code.update(session_));
  EXPECT_EQ(context_.code.sites().size(), before + 1);
}

TEST(CodeCounts, AreExecutionsTimesInstructions) {
  SessionFile session = *SessionFile::create(0);
  const std::array<std::uint64_t, 2> counters{3, 10};
  const std::uint64_t at = put(session, counters.data(), sizeof counters);
  MadeCode code;
  code.mapping(0x1000, 0x2000, 0, "/no/such/program");
  code.counted(0x1000, 1, 5, at);
  code.counted(0x1800, 1, 7, at);  // behind a jump that is always taken
  code.counted(0x9000, 0, 2, at + 8);
  join(session, code);
  DecoderContext context;
  context.session = &session;
  ASSERT_TRUE(context.code.update(session));
  EXPECT_EQ(context.code.instructions(session), 3u * 12 + 10 * 2);
  std::vector<Error> problems;
  const Places places = places_of_code(context, {}, problems);
  std::map<std::string, std::uint64_t> by_function;
  for (const Counted& c : places.counted) {
    EXPECT_EQ(c.metric, "instructions");
    by_function[places.blocks[c.block].function] = c.value;
  }
  EXPECT_EQ(by_function, (std::map<std::string, std::uint64_t>{{"(program)", 36}, {"(generated code)", 20}}));
}

TEST(CodeCounts, OfNowhereAreNone) {
  SessionFile session = *SessionFile::create(0);
  MadeCode beyond;
  beyond.counted(0x1000, 0, 5, ~std::uint64_t{7});
  join(session, beyond);
  CodeTable table;
  EXPECT_TRUE(table.update(session));
  EXPECT_EQ(table.instructions(session), 0u);
  for (const auto& [mapping, at] : {std::pair{1u, 8u}, {0u, 9u}}) {
    SessionFile another = *SessionFile::create(0);
    MadeCode broken;
    broken.counted(0x1000, mapping, 5, at);
    join(another, broken);
    EXPECT_FALSE(CodeTable().update(another));
  }
}

TEST_F(TranslatedCode, AccessesAreCountedByContext) {
  MadeCode calls;
  calls.context(0, 0, 0, 1);
  calls.context(0x400100, 1, 0, 20);
  calls.context(0x600100, 2, 1, 300);
  calls.context(0, 0, 0, 0);
  auto* const memory = reinterpret_cast<char*>(&session_.header());
  reinterpret_cast<cachescape_code*>(memory + session_.header().code_at)->contexts_at =
      put_part(session_, calls.contexts);
  decoded({CACHESCAPE_CONTEXT,
           1,
           CACHESCAPE_CONTEXT_CALLED,
           two_,
           low,
           0,
           0,  // reads 8, modifies 4
           CACHESCAPE_CONTEXT,
           2,
           CACHESCAPE_CONTEXT_CALLED,
           two_,
           low,
           low,
           0,  // and writes 16
           CACHESCAPE_CONTEXT,
           2,
           CACHESCAPE_CONTEXT_RECURS,  //
           CACHESCAPE_CONTEXT,
           1,
           CACHESCAPE_CONTEXT_GOES_ON,
           CACHESCAPE_KERNEL,
           kernel_,
           low,
           100,
           CACHESCAPE_WRITE,
           CACHESCAPE_CONTEXT,
           3,
           CACHESCAPE_CONTEXT_CALLED,
           two_,
           low,
           0,
           0});
  EXPECT_EQ(context_.broken_blocks, 0u);
  const Places places = places_of_code(context_, std::vector<bool>(context_.code.sites().size(), true), problems_);
  ASSERT_EQ(places.contexts.size(), 4u);
  EXPECT_EQ(places.contexts[0].function, "(no call stack)");
  EXPECT_EQ(places.contexts[1], (Context{nowhere, "(program)", "/no/such/program", false, 1}));
  EXPECT_EQ(places.contexts[2], (Context{1, "(library.so)", "/no/such/library.so", true, 2}));
  EXPECT_EQ(places.contexts[3].function, "(other call stacks)");
  const std::vector<ContextCounted> expected = {
      {0, "instructions", 1},   {1, "bytes.loaded", 12}, {1, "bytes.stored", 104}, {1, "instructions", 20},
      {1, "loads", 2},          {1, "stores", 2},        {2, "bytes.loaded", 12},  {2, "bytes.stored", 20},
      {2, "instructions", 300}, {2, "loads", 2},         {2, "stores", 2},         {3, "bytes.loaded", 12},
      {3, "bytes.stored", 4},   {3, "loads", 2},         {3, "stores", 1}};
  EXPECT_EQ(places.context_counted, expected);
}

TEST_F(TranslatedCode, ContextsThatAreNotThereEndTheirBlock) {
  EXPECT_EQ(decoded({CACHESCAPE_CONTEXT, 0, CACHESCAPE_CONTEXT_CALLED, two_, low, 0, 0}), Expected{});
  EXPECT_EQ(context_.broken_blocks, 1u);
  MadeCode calls;
  calls.context(0, 0, 0, 0);
  SessionFile session = *SessionFile::create(0);
  join(session, calls);
  DecoderContext context;
  context.session = &session;
  RecordDecoder decoder(context, ThreadId{0});
  KeptAccesses keeper;
  PackedBatch batch;
  decoder.decode(std::vector<std::uint64_t>{CACHESCAPE_CONTEXT, 0, CACHESCAPE_CONTEXT_RECURS + 1}, batch, keeper);
  decoder.decode(std::vector<std::uint64_t>{CACHESCAPE_CONTEXT, 1, 0}, batch, keeper);
  EXPECT_EQ(context.broken_blocks, 2u);
}

TEST(BrokenCode, HasNoContextsWithLaterCallers) {
  for (const std::uint32_t caller : {1u, 2u, ~0u}) {
    SessionFile session = *SessionFile::create(0);
    MadeCode code;
    code.context(0, 0, 0, 0);
    code.context(0x1000, 0, caller, 0);
    join(session, code);
    CodeTable table;
    EXPECT_FALSE(table.update(session)) << caller;
    EXPECT_EQ(table.contexts().size(), 1u);
  }
}

TEST(BrokenCode, IsNotRead) {
  const cachescape_code_access good = access(0, 0, CACHESCAPE_READ, 8);
  const auto is_read = [](const MadeCode& code) {
    SessionFile session = *SessionFile::create(0);
    join(session, code);
    CodeTable table;
    const bool whole = table.update(session);
    EXPECT_EQ(table.find(CACHESCAPE_CODE) != nullptr, whole);
    EXPECT_EQ(table.update(session), whole);
    return whole;
  };
  const auto with = [&](cachescape_code_access a, unsigned slots = 1, std::uint32_t mapping = 0) {
    MadeCode code;
    code.descriptor(0x1000, mapping, slots, {a});
    return code;
  };
  EXPECT_TRUE(is_read(with(good)));
  EXPECT_FALSE(is_read(with(access(1, 0, CACHESCAPE_READ, 8))));
  EXPECT_FALSE(is_read(with(access(0, 1, CACHESCAPE_READ, 8))));
  EXPECT_FALSE(is_read(with(access(0, 0, 3, 8))));
  EXPECT_FALSE(is_read(with(access(0, 0, CACHESCAPE_READ, 5000))));
  EXPECT_FALSE(is_read(with(good, CACHESCAPE_CODE_MOST_SLOTS + 1)));
  EXPECT_FALSE(is_read(with(good, 1, 1)));
  MadeCode cut = with(good);
  cut.descriptors.pop_back();
  EXPECT_FALSE(is_read(cut));
  MadeCode backwards = with(good, 1, 1);
  backwards.mapping(0x2000, 0x1000, 0, "/x");
  EXPECT_FALSE(is_read(backwards));
}

TEST(BrokenCode, ChainsThatGoRoundEnd) {
  SessionFile session = *SessionFile::create(0);
  MadeCode code;
  code.descriptor(0x1000, 0, 1, {access(0, 0, CACHESCAPE_READ, 8)});
  join(session, code);
  auto* const memory = reinterpret_cast<char*>(&session.header());
  auto* const tables = reinterpret_cast<cachescape_code*>(memory + session.header().code_at);
  auto* const part = reinterpret_cast<cachescape_part*>(memory + tables->mappings_at);
  part->next_at = tables->mappings_at;
  CodeTable table;
  EXPECT_FALSE(table.update(session));
  part->next_at = ~std::uint64_t{0};
  EXPECT_FALSE(CodeTable().update(session));
}

}  // namespace
}  // namespace cachescape::collect
