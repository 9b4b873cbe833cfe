#include "observe/collect/collector.hpp"

#include <thread>

#include <gtest/gtest.h>

#include "observe/collect/kept_accesses.hpp"
#include "observe/collect/made_module.hpp"
#include "observe/collect/made_ring.hpp"

namespace cachescape::collect {
namespace {

constexpr std::uint64_t program = 0x400000;  // where the module's descriptors are

/// Writes of eight bytes, told by their addresses alone.
class Collecting : public testing::Test {
 protected:
  Collecting() : session_(*SessionFile::create(CACHESCAPE_WANT_ACCESSES)), collector_(session_, kept_) {
    MadeModule module;
    module.blocks.push_back({0, 0, 0, 0, 1, 1});
    module.sites.push_back({0, 0, 0, 0});
    one_ = program + module.descriptor({1, 0, 0, 0, 0}, {{0, CACHESCAPE_WRITE, 1, 0, 8, 0, 0}});
    two_ = program + module.descriptor({2, 0, 0, 0, 0},
                                       {{0, CACHESCAPE_WRITE, 1, 0, 8, 0, 0}, {1, CACHESCAPE_WRITE, 1, 0, 8, 0, 0}});
    join(session_, module, program);
  }

  /// Addresses in the order in which they came; forgets them.
  std::vector<std::uint64_t> taken() {
    std::vector<std::uint64_t> addresses;
    for (const Seen& s : kept_.seen) addresses.push_back(s.address);
    kept_.seen.clear();
    return addresses;
  }

  std::vector<std::uint64_t> collected_after_patience() {
    collector_.collect();
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    collector_.collect();
    return taken();
  }

  using Addresses = std::vector<std::uint64_t>;

  std::uint64_t one_ = 0, two_ = 0;
  SessionFile session_;
  KeptAccesses kept_;
  Collector collector_;
};

TEST_F(Collecting, PlainBlocksComeInTheOrderInWhichTheyWereBegun) {
  MadeRing a(session_, 0), b(session_, 1);
  a.begin_plain(100);
  b.begin_plain(50);
  a.write({one_, 0x1000});
  b.write({one_, 0x2000});
  EXPECT_FALSE(collector_.collect()) << "not published";
  a.publish();
  b.publish();
  EXPECT_TRUE(collector_.collect());
  EXPECT_EQ(taken(), (Addresses{0x2000, 0x1000}));
  EXPECT_EQ(collector_.ordered_parts(), 2);
}

TEST_F(Collecting, PiecesComeInTheOrderOfTheirTickets) {
  MadeRing a(session_, 0), b(session_, 1);
  a.begin_pieces();
  b.begin_pieces();
  for (std::uint64_t i = 0; i < 100; ++i) {
    MadeRing& ring = i % 3 == 0 ? a : b;
    ring.begin_piece(i);
    ring.write({one_, 0x1000 + i * 16});
    ring.write({one_, 0x1008 + i * 16});
  }
  a.publish();
  b.publish();
  EXPECT_TRUE(collector_.collect());
  Addresses expected;
  for (std::uint64_t i = 0; i < 200; ++i) expected.push_back(0x1000 + i * 8);
  EXPECT_EQ(taken(), expected);
}

TEST_F(Collecting, PiecesAreTakenFromTheBlockThatIsBeingWritten) {
  session_.header().order = CACHESCAPE_ORDER_EXACT;
  MadeRing a(session_, 0), b(session_, 1);
  a.begin_pieces();
  b.begin_pieces();
  a.begin_piece(0);
  a.write({one_, 0x1000});
  b.begin_piece(1);
  b.write({one_, 0x2000});
  EXPECT_TRUE(collector_.collect());
  EXPECT_EQ(taken(), (Addresses{0x1000, 0x2000})) << "records are there as a whole";
  b.begin_piece(2);
  b.write({one_, 0x2008});
  a.begin_piece(3);
  a.write({one_, 0x1008});
  a.publish();
  EXPECT_TRUE(collector_.collect());
  EXPECT_EQ(taken(), (Addresses{0x2008, 0x1008}));
}

TEST_F(Collecting, AnIncompleteRecordIsWaitedForButNotForEver) {
  session_.header().order = CACHESCAPE_ORDER_EXACT;
  MadeRing a(session_, 0), b(session_, 1);
  a.begin_pieces();
  b.begin_pieces();
  a.begin_piece(0);
  a.write({two_, 0x1000, 0});
  b.begin_piece(1);
  b.write({one_, 0x2000});
  EXPECT_FALSE(collector_.collect()) << "the first thread is about to complete its record";
  EXPECT_EQ(collected_after_patience(), (Addresses{0x2000}));
  a.complete(0x1008);
  EXPECT_TRUE(collector_.collect());
  EXPECT_EQ(taken(), (Addresses{0x1000, 0x1008}));
}

TEST_F(Collecting, AMissingTicketIsWaitedForButNotForEver) {
  MadeRing a(session_, 0), b(session_, 1);
  a.begin_pieces();
  b.begin_pieces();
  b.begin_piece(1);
  b.write({one_, 0x2000});
  EXPECT_FALSE(collector_.collect());
  EXPECT_EQ(collected_after_patience(), (Addresses{0x2000}));
  a.begin_piece(0);
  a.write({one_, 0x1000});
  EXPECT_TRUE(collector_.collect());
  EXPECT_EQ(taken(), (Addresses{0x1000}));
}

TEST_F(Collecting, APieceThatGoesOnIsReadOnFromWhereItWas) {
  session_.header().order = CACHESCAPE_ORDER_FINE;
  MadeRing a(session_, 0);
  a.begin_pieces();
  a.begin_piece(0);
  a.write({one_, 0x1000});
  EXPECT_TRUE(collector_.collect());
  a.write({one_, 0x1008});
  EXPECT_TRUE(collector_.collect());
  a.write({one_, 0x1010});
  a.begin_piece(1);
  a.write({one_, 0x1018});
  a.publish();
  EXPECT_TRUE(collector_.collect());
  EXPECT_EQ(taken(), (Addresses{0x1000, 0x1008, 0x1010, 0x1018}));
  EXPECT_EQ(collector_.ordered_parts(), 2);
}

TEST_F(Collecting, APlainBlockComesWhereTheTicketsWereWhenItBegan) {
  MadeRing a(session_, 0), b(session_, 1);
  b.begin_pieces();
  b.begin_piece(0);
  b.write({one_, 0x2000});
  b.begin_piece(1);
  b.write({one_, 0x2008});
  b.publish();
  a.begin_plain(1, 1);
  a.write({one_, 0x1000});
  a.publish();
  EXPECT_TRUE(collector_.collect());
  EXPECT_EQ(taken(), (Addresses{0x2000, 0x1000, 0x2008}));
}

TEST_F(Collecting, TheRestIsTakenWithoutWaiting) {
  MadeRing a(session_, 0), b(session_, 1);
  a.begin_pieces();
  b.begin_plain(1, 7);
  b.write({one_, 0x2000});
  a.begin_piece(3);
  a.write({two_, 0x1000, 0});
  a.begin_piece(9);
  a.write({two_, 0x1010, 0});
  collector_.collect_rest();
  EXPECT_EQ(taken(), (Addresses{0x1000, 0x2000, 0x1010})) << "the slots that were reached";
}

TEST_F(Collecting, LengthsThatCannotBeAreLost) {
  for (const std::uint64_t bytes : {std::uint64_t{7}, std::uint64_t{1} << 40, ~std::uint64_t{7}}) {
    MadeRing a(session_, 0);
    a.begin_pieces();
    a.begin_piece(0, bytes);
    a.write({one_, 0x1000});
    a.publish();
    const std::uint64_t before = collector_.context().broken_blocks;
    collector_.collect();
    EXPECT_EQ(collector_.context().broken_blocks, before + 1);
    EXPECT_EQ(taken(), Addresses{});
  }
}

TEST_F(Collecting, ARingThatItsThreadHasLeftIsFree) {
  MadeRing a(session_, 0);
  a.begin_pieces();
  a.begin_piece(0);
  a.write({one_, 0x1000});
  a.publish();
  a.end();
  EXPECT_TRUE(collector_.collect());
  collector_.collect();
  EXPECT_EQ(cachescape_ring_of(&session_.header(), 0)->state, CACHESCAPE_RING_FREE);
}

}  // namespace
}  // namespace cachescape::collect
