#include "analyze/coherence/ranked_bits.hpp"

#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "analyze/coherence/hole_times.hpp"

namespace cachescape::analyze {
namespace {

std::uint32_t counted_before(const std::vector<bool>& bits, std::uint32_t at) {
  std::uint32_t n = 0;
  for (std::uint32_t i = 0; i < at; ++i) n += bits[i] ? 1 : 0;
  return n;
}

TEST(RankedBits, AreCounted) {
  std::mt19937_64 random(2);
  RankedBits bits(200'000);
  std::vector<bool> naive;
  for (int round = 0; round < 2; ++round) {
    while (!bits.full()) {
      ASSERT_EQ(bits.append(), naive.size());
      naive.push_back(true);
      if (random() % 3 != 0) continue;
      const auto at = static_cast<std::uint32_t>(random() % naive.size());
      if (!naive[at]) continue;
      naive[at] = false;
      bits.clear(at);
    }
    for (int i = 0; i < 300; ++i) {
      const auto at = static_cast<std::uint32_t>(random() % naive.size());
      ASSERT_EQ(bits.rank(at), counted_before(naive, at));
    }
    ASSERT_EQ(bits.count(), counted_before(naive, static_cast<std::uint32_t>(naive.size())));
    naive.assign(bits.count(), true);
    bits.restart(bits.count());
  }
}

// Parts of every level begin and end somewhere.
TEST(RankedBits, AreCountedAcrossRegions) {
  RankedBits bits(5'000'000);
  bits.restart(4'500'000);
  std::uint32_t cleared = 0;
  for (std::uint32_t at = 0; at < bits.size(); at += 4095, ++cleared) {
    bits.clear(at);
    ASSERT_EQ(bits.rank(static_cast<std::uint32_t>(bits.size() - 1)), bits.size() - 1 - cleared - 1);
  }
  for (std::uint32_t at = 0; at < bits.size(); at += 1000) ASSERT_EQ(bits.rank(at), at - (at + 4094) / 4095);
}

TEST(HoleTimes, TellTheGreatest) {
  std::mt19937_64 random(4);
  for (const std::uint32_t bound : {60u, 5000u, 300'000u}) {
    HoleTimes times(bound);
    std::vector<bool> naive(bound);
    const auto greatest = [&] {
      std::uint32_t at = bound - 1;
      while (at > 0 && !naive[at]) --at;
      return at;
    };
    for (int i = 0; i < 2000; ++i) {
      if (random() % 2 == 0 || times.greatest() == 0) {
        const auto time = static_cast<std::uint32_t>(1 + random() % (bound - 1));
        naive[time] = true;
        times.add(time);
      } else {
        naive[times.greatest()] = false;
        times.remove_greatest();
      }
      ASSERT_EQ(times.greatest(), greatest());
    }
  }
}

}  // namespace
}  // namespace cachescape::analyze
