#include "observe/compiled/pass/slowest_cycle.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "observe/compiled/pass/naive_slowest_cycle.hpp"

namespace cachescape::pass {
namespace {

TEST(SlowestCycle, NothingWaitsWhereNothingGoesRound) {
  EXPECT_EQ(slowest_cycle(0, {}).loads, 0);
  EXPECT_EQ(slowest_cycle(2, {{0, 1, 5}}).loads, 0);
  EXPECT_EQ(slowest_cycle(1, {{0, 0, 0}}).loads, 0);
}

TEST(SlowestCycle, TheSlowestOfSeveralCounts) {
  EXPECT_EQ(slowest_cycle(3, {{0, 0, 1}, {1, 1, 2}, {2, 2, 1}, {0, 2, 9}}), (LoadRate{2, 1}));
}

TEST(SlowestCycle, AValueThatComesRoundInTwoIterationsIsHalfAsSlow) {
  EXPECT_EQ(slowest_cycle(2, {{0, 1, 1}, {1, 0, 0}}), (LoadRate{1, 2}));
}

RC_GTEST_PROP(SlowestCycle, EqualsTheSlowestOfAllCycles, ()) {
  const auto carriers = *rc::gen::inRange<std::size_t>(1, 6);
  const auto carrier = rc::gen::inRange<std::size_t>(0, carriers);
  const auto path =
      rc::gen::build<CarriedPath>(rc::gen::set(&CarriedPath::from, carrier), rc::gen::set(&CarriedPath::to, carrier),
                                  rc::gen::set(&CarriedPath::loads, rc::gen::inRange<std::uint32_t>(0, 6)));
  const auto paths = *rc::gen::container<std::vector<CarriedPath>>(*rc::gen::inRange<std::size_t>(0, 14), path);
  RC_ASSERT(slowest_cycle(carriers, paths) == NaiveSlowestCycle(carriers, paths).rate());
}

}  // namespace
}  // namespace cachescape::pass
