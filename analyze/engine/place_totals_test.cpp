#include "analyze/engine/place_totals.hpp"

#include <gtest/gtest.h>

#include "cachescape/analyzer.hpp"

namespace cachescape::analyze {
namespace {

TEST(PlaceTotals, AreSumsByPlaceAndKind) {
  PlaceTotals totals;
  const PackedAccess accesses[] = {{Address{1}, 8, AccessKind::read, 3},
                                   {Address{2}, 4, AccessKind::modify, 0},
                                   {Address{3}, 2, AccessKind::write, 3},
                                   {Address{4}, 0, AccessKind::read, 3}};
  totals.add(accesses);
  totals.add(3, AccessKind::write, 16, 1000);
  totals.add(std::span(accesses).first(1));
  const auto& found = totals.totals();
  ASSERT_GE(found.size(), 4u);
  EXPECT_EQ(found[3].accesses, (KindCounts{3, 1001, 0}));
  EXPECT_EQ(found[3].bytes, 8 + 2 + 16'000 + 8u);
  EXPECT_EQ(found[0].accesses, (KindCounts{0, 0, 1}));
  EXPECT_EQ(found[0].bytes, 4u);
}

TEST(PlaceTotals, HoldMoreThanFitsIntoAWord) {
  PlaceTotals totals;
  const std::vector<PackedAccess> longest(5000, {Address{0}, longest_access, AccessKind::write, 1});
  constexpr std::uint64_t times = 1000;
  for (std::uint64_t i = 0; i < times; ++i) totals.add(longest);
  EXPECT_EQ(totals.totals()[1].accesses, (KindCounts{0, times * longest.size(), 0}));
  EXPECT_EQ(totals.totals()[1].bytes, times * longest.size() * longest_access);
}

TEST(SumsOf, Accesses) {
  constexpr std::uint32_t longest = (1u << 24) - 1;
  std::vector<PackedAccess> accesses(1000, {Address{0}, longest, AccessKind::read, 7});
  accesses.insert(accesses.end(), 300, {Address{0}, 3, AccessKind::write, 7});
  accesses.insert(accesses.begin(), 2, {Address{0}, 1, AccessKind::modify, 7});
  const AccessSums sums = sums_of(accesses);
  EXPECT_EQ(sums.kinds, (KindCounts{1000, 300, 2}));
  EXPECT_EQ(sums.bytes, std::uint64_t{1000} * longest + 902);
}

}  // namespace
}  // namespace cachescape::analyze
