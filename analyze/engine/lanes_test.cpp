#include "analyze/engine/lanes.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace cachescape::analyze {
namespace {

/// Pieces are written into as many places as may be under way, and read there by three lanes, of which the last reads
/// what the second has made of them.
class Factory {
 public:
  explicit Factory(unsigned workers) : lanes_(workers) { lay_out(); }

  void lay_out() {
    lanes_.set({{[this](std::uint64_t piece) { taken_[0].push_back(pieces_[piece % Lanes::depth]); }, {}},
                {[this](std::uint64_t piece) {
                   taken_[1].push_back(pieces_[piece % Lanes::depth]);
                   halves_[piece % Lanes::depth] = pieces_[piece % Lanes::depth] / 2;
                 },
                 {}},
                {[this](std::uint64_t piece) { taken_[2].push_back(halves_[piece % Lanes::depth]); }, 1}});
  }
  void make(std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t n = first; n < last; ++n) {
      pieces_[lanes_.next() % Lanes::depth] = 2 * n;
      lanes_.add();
    }
  }
  void drain() { lanes_.drain(); }
  const std::vector<std::uint64_t>& taken(std::size_t lane) const { return taken_[lane]; }

 private:
  std::array<std::uint64_t, Lanes::depth> pieces_{};
  std::array<std::uint64_t, Lanes::depth> halves_{};
  std::array<std::vector<std::uint64_t>, 3> taken_;
  Lanes lanes_;
};

class LanesOf : public testing::TestWithParam<unsigned> {};

TEST_P(LanesOf, EveryLaneTakesAllPiecesInOrder) {
  constexpr std::uint64_t pieces = 2000;
  Factory factory(GetParam());
  factory.make(0, pieces / 2);
  factory.drain();
  for (std::size_t lane = 0; lane < 3; ++lane) EXPECT_EQ(factory.taken(lane).size(), pieces / 2);
  factory.lay_out();
  factory.make(pieces / 2, pieces);
  factory.drain();
  for (std::size_t lane = 0; lane < 3; ++lane) {
    ASSERT_EQ(factory.taken(lane).size(), pieces);
    for (std::uint64_t n = 0; n < pieces; ++n) ASSERT_EQ(factory.taken(lane)[n], lane == 2 ? n : 2 * n);
  }
}

TEST_P(LanesOf, PassOverPiecesInWhichThereIsNothingToDo) {
  constexpr std::uint64_t pieces = 1000;
  Lanes lanes(GetParam());
  std::vector<std::uint64_t> taken;
  std::atomic<std::uint64_t> seen = 0;
  lanes.set(
      {{[&](std::uint64_t) { ++seen; }, {}},
       {[&](std::uint64_t piece) { taken.push_back(piece); }, 0, [](std::uint64_t piece) { return piece % 10 != 3; }}});
  for (std::uint64_t n = 0; n < pieces; ++n) {
    EXPECT_EQ(lanes.next(), n);
    lanes.add();
  }
  lanes.drain();
  EXPECT_EQ(seen, pieces);
  ASSERT_EQ(taken.size(), pieces / 10);
  for (std::uint64_t i = 0; i < taken.size(); ++i) EXPECT_EQ(taken[i], 10 * i + 3);
}

TEST_P(LanesOf, AreWaitedForAtTheEnd) {
  std::atomic<int> done = 0;
  {
    Lanes lanes(GetParam());
    lanes.set({{[&](std::uint64_t) { ++done; }, {}}});
    lanes.next();
    lanes.add();
    lanes.drain();
    EXPECT_EQ(done, 1);
  }
  Lanes idle(GetParam());
  EXPECT_EQ(idle.next(), 0u);
  idle.drain();
}

INSTANTIATE_TEST_SUITE_P(Workers, LanesOf, testing::Values(1, 2, 5));

}  // namespace
}  // namespace cachescape::analyze
