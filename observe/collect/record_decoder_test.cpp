#include "observe/collect/record_decoder.hpp"

#include <cstring>

#include <gtest/gtest.h>

#include "observe/collect/kept_accesses.hpp"
#include "observe/collect/made_module.hpp"

namespace cachescape::collect {
namespace {

constexpr std::uint64_t program = 0x400000;  // where the module's descriptors are
constexpr std::uint64_t low = 0x10000;
constexpr unsigned loads = CACHESCAPE_READ;
constexpr unsigned stores = CACHESCAPE_WRITE;

constexpr ThreadId thread{3};

Seen read_of(std::uint64_t address, std::uint32_t size) { return {address, size, AccessKind::read, thread.value}; }
Seen write_of(std::uint64_t address, std::uint32_t size) { return {address, size, AccessKind::write, thread.value}; }

cachescape_access access(unsigned slot, unsigned flags, std::uint32_t size, std::int32_t offset = 0,
                         std::int32_t step = 0, unsigned lanes = 1) {
  return {static_cast<std::uint16_t>(slot),
          static_cast<std::uint8_t>(flags),
          static_cast<std::uint8_t>(lanes),
          offset,
          size,
          0,
          step};
}

class Decoding : public testing::Test {
 protected:
  Decoding() : session_(*SessionFile::create(CACHESCAPE_WANT_ACCESSES)) {
    module_.blocks.push_back({0, 0, 0, 0, 1, 1});
    module_.sites.push_back({0, 0, 0, 0});
    two_ = add({2, 0, 0, 0, 0},
               {access(0, CACHESCAPE_READ, 8), access(1, CACHESCAPE_WRITE, 4), access(0, CACHESCAPE_WRITE, 2, -16)});
    sized_ = add({2, 0, 0, 0, 0}, {access(0, stores | CACHESCAPE_SIZED, 0)});
    gather_ = add({5, 0, 0, 0, 0}, {access(0, loads | CACHESCAPE_MASKED, 8, 0, 0, 4)});
    masked_ = add({2, 0, 0, 0, 0}, {access(0, loads | CACHESCAPE_MASKED | CACHESCAPE_VECTOR, 8, 0, 0, 4)});
    affine_ = add({0, 2, 0, 1, 0},
                  {access(0, loads | CACHESCAPE_STRIDED, 8, 0, 8), access(1, stores | CACHESCAPE_STRIDED, 4, 100, -4)});
    residual_ = add({1, 1, 0, 1, 0}, {access(0, loads | CACHESCAPE_STRIDED, 4, 0, 4), access(0, CACHESCAPE_WRITE, 8)});
    large_ = add({0, 1, 0, 1, 0}, {access(0, stores | CACHESCAPE_STRIDED, 5000, 0, 8192)});
    site_ = add({0, 0, 0, 0, 0}, {access(0, CACHESCAPE_READ, 0)});
    join(session_, module_, program);
    EXPECT_TRUE(context_.modules.update(session_));
  }

  std::uint64_t add(const cachescape_descriptor& head, const std::vector<cachescape_access>& accesses) {
    return program + module_.descriptor(head, accesses);
  }

  void decode(const std::vector<std::uint64_t>& words) {
    PackedBatch batch(16);
    decoder_.decode(words, batch, keeper_);
    if (!batch.empty() || !batch.blocks.empty()) keeper_.take(batch);
  }
  std::vector<Seen> decoded(const std::vector<std::uint64_t>& words) {
    keeper_.seen.clear();
    decode(words);
    return keeper_.seen;
  }

  SessionFile session_;
  MadeModule module_;
  std::uint64_t two_, sized_, gather_, masked_, affine_, residual_, large_, site_;
  DecoderContext context_;
  RecordDecoder decoder_{context_, thread};
  KeptAccesses keeper_;
};

using Expected = std::vector<Seen>;

TEST_F(Decoding, WhatIsNotWantedIsCounted) {
  keeper_.unwanted_accesses = 8;
  // Two segments of three accesses, then a loop of four accesses that is wanted, and so is all that follows.
  EXPECT_EQ(decoded({two_, low, low + 64, two_, low, low + 64, affine_, 2, low, low + 64, two_, low, low + 64}).size(),
            7u);
  EXPECT_EQ(keeper_.passed, (KindCounts{2, 4, 0}));
  EXPECT_EQ(keeper_.passed_bytes, 28u);
  EXPECT_EQ(context_.broken_blocks, 0u);
}

TEST_F(Decoding, TripsThatAreNotWantedArePassedAcrossBlocks) {
  keeper_.unwanted_accesses = 100;
  EXPECT_TRUE(decoded({residual_, 4, low, low + 64, low + 128}).empty());
  EXPECT_TRUE(decoded({low + 192, low + 256, two_, low, low + 64}).empty());
  EXPECT_EQ(keeper_.passed, (KindCounts{5, 6, 0}));
}

/// Keeps some accesses, then none, and so on, by their place among all.
class InTurns : public KeptAccesses {
 public:
  InTurns(std::uint64_t on, std::uint64_t off) : on_(on), off_(off) {}

  std::uint64_t unwanted() const override {
    const std::uint64_t phase = position_ % (on_ + off_);
    return phase < on_ ? 0 : on_ + off_ - phase;
  }
  void take(const PackedBatch& batch) override {
    for (const PackedAccess& a : batch.accesses()) {
      if (unwanted() == 0) seen.push_back({a.address().value, a.size(), a.kind(), batch.thread.value});
      ++position_;
    }
  }
  void take(const StridedRun&) override { FAIL() << "the words have none"; }
  void pass_over(ThreadId, const KindCounts& accesses, std::uint64_t) override {
    for (const std::uint64_t n : accesses) position_ += n;
  }

 private:
  std::uint64_t on_;
  std::uint64_t off_;
  std::uint64_t position_ = 0;
};

/// Segments, and loops whose trips go on from block to block.
std::vector<std::vector<std::uint64_t>> some_blocks(std::uint64_t segment, std::uint64_t loop) {
  std::vector<std::vector<std::uint64_t>> blocks(1);
  std::uint64_t x = 1;
  const auto next = [&](std::uint64_t below) { return (x = x * 6364136223846793005u + 1) >> 40 & (below - 1); };
  const auto put = [&](std::uint64_t word) { blocks.back().push_back(word); };
  for (int i = 0; i < 400; ++i) {
    for (std::uint64_t n = next(32); n > 0; --n)
      for (const std::uint64_t word : {segment, low + 64 * next(1024), low + 64 * next(1024)}) put(word);
    const std::uint64_t trips = 1 + next(64);
    put(loop);
    put(trips);
    put(low);
    for (std::uint64_t t = 0; t < trips; ++t) {
      if (next(16) == 0) blocks.emplace_back();
      put(low + 64 * next(1024));
    }
    if (next(4) == 0) blocks.emplace_back();
  }
  return blocks;
}

TEST_F(Decoding, WhatIsPassedOverKeepsItsPlace) {
  const auto blocks = some_blocks(two_, residual_);
  for (const auto& words : blocks) decode(words);
  for (const auto& [on, off] : {std::pair{1u, 1u}, {10u, 90u}, {3u, 4u}, {1000u, 9000u}}) {
    InTurns sink(on, off);
    RecordDecoder decoder(context_, thread);
    for (const auto& words : blocks) {
      PackedBatch batch(16);
      decoder.decode(words, batch, sink);
      sink.take(batch);
    }
    std::vector<Seen> expected;
    for (std::size_t i = 0; i < keeper_.seen.size(); ++i)
      if (i % (on + off) < on) expected.push_back(keeper_.seen[i]);
    EXPECT_EQ(sink.seen, expected) << on << ", " << off;
  }
}

TEST_F(Decoding, BlocksAreSampledTheSameOneByOne) {
  const auto blocks = some_blocks(two_, residual_);
  context_.sampling.emplace(40);
  for (const auto& words : blocks) decode(words);
  // Where executions are labelled, none is taken in a row with others.
  DecoderContext labelling;
  labelling.want_blocks = true;
  labelling.sampling.emplace(40);
  ASSERT_TRUE(labelling.modules.update(session_));
  RecordDecoder decoder(labelling, thread);
  KeptAccesses each;
  for (const auto& words : blocks) {
    PackedBatch batch(16);
    decoder.decode(words, batch, each);
    each.take(batch);
  }
  EXPECT_FALSE(each.seen.empty());
  EXPECT_NE(each.passed, KindCounts{});
  EXPECT_EQ(keeper_.seen, each.seen);
  EXPECT_EQ(keeper_.passed, each.passed);
  EXPECT_EQ(keeper_.passed_bytes, each.passed_bytes);
  for (const std::uint32_t number : {0u, 5u}) {
    EXPECT_EQ(context_.sampling->block(number).executed, labelling.sampling->block(number).executed);
    EXPECT_EQ(context_.sampling->block(number).analysed, labelling.sampling->block(number).analysed);
  }
}

TEST_F(Decoding, BlocksAreAnalysedUntilTheyWereSeenOftenEnough) {
  context_.sampling.emplace(2);
  const auto executed = [&](std::uint64_t times) {
    std::vector<std::uint64_t> words;
    for (std::uint64_t i = 0; i < times; ++i) words.insert(words.end(), {two_, low, low + 64});
    return decoded(words).size() / 3;
  };
  // Twice, and for as long as it stays on after that.
  const std::uint64_t stay = (BlockSampling::stay + 2) / 3;
  EXPECT_EQ(executed(10'000), 1 + stay);
  EXPECT_EQ(executed(500), 0u);
  // Another block turns it on again.
  EXPECT_EQ(decoded({affine_, 100, low, low + 64}).size(), 200u);
  EXPECT_EQ(executed(10'000), (BlockSampling::stay - 200 + 2) / 3);
  const double analysed = static_cast<double>(1 + stay + (BlockSampling::stay - 200 + 2) / 3);
  EXPECT_DOUBLE_EQ(context_.sampling->block(0).weight(), 20'500 / analysed);
  EXPECT_EQ(context_.sampling->block(4).weight(), 1);
}

TEST_F(Decoding, SegmentsGiveTheirAccessesInOrder) {
  EXPECT_EQ(decoded({two_, low, low + 64, two_, low + 8, low + 72}),
            (Expected{read_of(low, 8), write_of(low + 64, 4), write_of(low - 16, 2), read_of(low + 8, 8),
                      write_of(low + 72, 4), write_of(low - 8, 2)}));
  EXPECT_EQ(context_.broken_blocks, 0u);
}

TEST_F(Decoding, SlotsThatWereNotReachedGiveNothing) {
  EXPECT_EQ(decoded({two_, 0, low}), (Expected{write_of(low, 4)}));
  EXPECT_EQ(decoded({sized_, low, 0}), Expected{});
}

TEST_F(Decoding, AZeroWordEndsABlock) {
  EXPECT_EQ(decoded({two_, low, 0, 0, two_, low, low}), (Expected{read_of(low, 8), write_of(low - 16, 2)}));
  EXPECT_EQ(context_.broken_blocks, 0u);
}

TEST_F(Decoding, LongRangesAreSeveralAccesses) {
  EXPECT_EQ(decoded({sized_, low, 9000}),
            (Expected{write_of(low, 4096), write_of(low + 4096, 4096), write_of(low + 8192, 808)}));
}

TEST_F(Decoding, ARangeIsBelievedUpToALimit) {
  context_.most_bytes = 8192;
  EXPECT_EQ(decoded({sized_, low, ~std::uint64_t{0}}), (Expected{write_of(low, 4096), write_of(low + 4096, 4096)}));
  EXPECT_EQ(context_.cut_records, 1u);
}

TEST_F(Decoding, MasksChooseLanes) {
  EXPECT_EQ(decoded({gather_, low, low + 800, low + 80, low + 8, 0b1011}),
            (Expected{read_of(low, 8), read_of(low + 800, 8), read_of(low + 8, 8)}));
  // Beyond its four lanes a mask means nothing.
  EXPECT_EQ(decoded({masked_, low, 0xf6}), (Expected{read_of(low + 8, 16)}));
  EXPECT_EQ(decoded({masked_, low, 0}), Expected{});
}

TEST_F(Decoding, ShortLoopsAreExpandedAndLongOnesAreRuns) {
  for (std::uint64_t trips = 0; trips < 8; ++trips) {
    Expected expected;
    for (std::uint64_t i = 0; i < trips; ++i) {
      expected.push_back(read_of(low + 8 * i, 8));
      expected.push_back(write_of(2 * low + 100 - 4 * i, 4));
    }
    keeper_.runs.clear();
    EXPECT_EQ(decoded({affine_, trips, low, 2 * low, 0}), expected) << trips;
    EXPECT_EQ(keeper_.runs.size(), trips >= 4 ? 1u : 0u) << trips;
  }
}

TEST_F(Decoding, WhereBlocksAreWantedEveryTripIsOne) {
  context_.want_blocks = true;
  EXPECT_EQ(decoded({affine_, 5, low, 2 * low}).size(), 10u);
  EXPECT_TRUE(keeper_.runs.empty());
  EXPECT_EQ(keeper_.blocks, std::vector<std::uint64_t>(5, 1));
}

TEST_F(Decoding, LargeAccessesOfALoopAreSplitAsElsewhere) {
  Expected expected;
  for (std::uint64_t i = 0; i < 5; ++i) {
    expected.push_back(write_of(low + 8192 * i, 4096));
    expected.push_back(write_of(low + 8192 * i + 4096, 904));
  }
  EXPECT_EQ(decoded({large_, 5, low}), expected);
}

TEST_F(Decoding, ALoopIsBelievedUpToALimit) {
  decode({affine_, std::uint64_t{1} << 60, low, low, two_, low, low});
  ASSERT_EQ(keeper_.runs.size(), 1u);
  EXPECT_EQ(keeper_.runs[0].trips, std::uint64_t{1} << 32);
  EXPECT_EQ(context_.cut_records, 1u);
  EXPECT_EQ(keeper_.seen.back(), write_of(low - 16, 2));

  context_.want_blocks = true;
  context_.most_trips = 10;
  EXPECT_EQ(decoded({affine_, std::uint64_t{1} << 60, low, low}).size(), 20u);
  EXPECT_EQ(context_.cut_records, 2u);
}

TEST_F(Decoding, TripsGoOnInTheNextBlock) {
  EXPECT_EQ(decoded({residual_, 3, low, 500, 600}),
            (Expected{read_of(low, 4), write_of(500, 8), read_of(low + 4, 4), write_of(600, 8)}));
  EXPECT_EQ(decoded({700, two_, low, low}), (Expected{read_of(low + 8, 4), write_of(700, 8), read_of(low, 8),
                                                      write_of(low, 4), write_of(low - 16, 2)}));
}

TEST_F(Decoding, ALoopThatWritesWordsEndsWithThem) {
  EXPECT_EQ(decoded({residual_, std::uint64_t{1} << 60, low, 500, 0, 0, 0}),
            (Expected{read_of(low, 4), write_of(500, 8)}));
  // It was left: the next block begins with a record.
  EXPECT_EQ(decoded({two_, low, low}).size(), 3u);
  EXPECT_EQ(context_.cut_records, 0u);
}

TEST_F(Decoding, BrokenRecordsEndTheirBlockOnly) {
  const std::vector<std::vector<std::uint64_t>> broken{
      {two_, low},           // its second slot is missing
      {two_ + 4, low, low},  // inside a descriptor
      {two_ + 1, low, low},
      {program - 4, low},
      {~std::uint64_t{0}, low},
      {affine_, 5, low},  // its second base is missing
      {affine_},
      {site_, low, low},  // names the site of an allocation
      {CACHESCAPE_ALLOCATED, 1, 2},
      {CACHESCAPE_FREED},
      {CACHESCAPE_UNMAPPED, 1},
      {12, 1, 2, 3},  // no such marker
      {15},
  };
  std::uint64_t count = 0;
  for (const auto& words : broken) {
    EXPECT_EQ(decoded(words), Expected{}) << words[0];
    EXPECT_EQ(context_.broken_blocks, ++count) << words[0];
    EXPECT_EQ(decoded({two_, low, low}).size(), 3u);
  }
}

TEST_F(Decoding, MarkersAllocateAndSwitch) {
  decode({CACHESCAPE_ALLOCATED, low, 100, site_});
  EXPECT_EQ(context_.objects.object_at(low + 99), 0u);
  decode({CACHESCAPE_FREED, low});
  EXPECT_EQ(context_.objects.object_at(low + 99), nowhere);
  decode({CACHESCAPE_ALLOCATED, low, 10'000, site_, CACHESCAPE_UNMAPPED, low, 4096});
  EXPECT_EQ(context_.objects.object_at(low + 4095), nowhere);
  EXPECT_EQ(context_.objects.object_at(low + 4096), 0u);
  EXPECT_EQ(decoded({CACHESCAPE_SWITCH_OFF, two_, low, low, affine_, 9, low, low, residual_, 1, low, 500,
                     CACHESCAPE_SWITCH_ON, sized_, low, 8}),
            (Expected{write_of(low, 8)}));
  EXPECT_EQ(context_.broken_blocks, 0u);
}

TEST_F(Decoding, KeepsOnlyTheRegionThatIsAskedFor) {
  // Two tags in the session, one the beginning of the other.
  const std::uint64_t inner = session_.header().arena_at + (std::uint64_t{1} << 20);
  const std::uint64_t other = inner + 64;
  char* const memory = reinterpret_cast<char*>(&session_.header());
  std::strcpy(memory + inner, "inner");
  std::strcpy(memory + other, "inner loop");
  context_.session = &session_;
  context_.region = "inner";
  const auto touch = [&](std::uint64_t at) { return std::vector<std::uint64_t>{sized_, at, 8}; };
  EXPECT_EQ(decoded(touch(low)), Expected{});
  EXPECT_EQ(decoded({CACHESCAPE_REGION_BEGIN, other, sized_, low, 8}), Expected{});
  EXPECT_EQ(decoded({CACHESCAPE_REGION_BEGIN, inner, sized_, low, 8, CACHESCAPE_REGION_BEGIN, inner,
                     CACHESCAPE_REGION_END, other, CACHESCAPE_REGION_END, inner, sized_, low + 8, 8}),
            (Expected{write_of(low, 8), write_of(low + 8, 8)}));
  EXPECT_EQ(decoded({CACHESCAPE_REGION_END, inner, sized_, low, 8}), Expected{});
  // A tag outside the session, and an end without a beginning.
  EXPECT_EQ(decoded({CACHESCAPE_REGION_BEGIN, ~std::uint64_t{0}, CACHESCAPE_REGION_END, inner, sized_, low, 8}),
            Expected{});
}

}  // namespace
}  // namespace cachescape::collect
