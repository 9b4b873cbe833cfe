#include "observe/compiled/pass/recurrence.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "observe/compiled/pass/naive_recurrence.hpp"

namespace cachescape::pass {
namespace {

using Members = std::vector<std::size_t>;

TEST(Recurrence, NothingIsSlowWhereNothingGoesRound) {
  EXPECT_EQ(slowest_recurrence(0, {}).rate.loads, 0);
  EXPECT_EQ(slowest_recurrence(2, {{0, 1, 5}}).rate.loads, 0);
  EXPECT_EQ(slowest_recurrence(1, {{0, 0, 0}}).rate.loads, 0);
  EXPECT_TRUE(slowest_recurrence(1, {{0, 0, 0}}).carriers.empty());
}

TEST(Recurrence, TheSlowestOfSeveralCounts) {
  const Recurrence found = slowest_recurrence(3, {{0, 0, 1}, {1, 1, 2}, {2, 2, 1}, {0, 2, 9}});
  EXPECT_EQ(found.rate, (LoadRate{2, 1}));
  EXPECT_EQ(found.carriers, (Members{1}));
}

TEST(Recurrence, AValueThatComesRoundInTwoIterationsIsHalfAsSlow) {
  const Recurrence found = slowest_recurrence(2, {{0, 1, 1}, {1, 0, 0}});
  EXPECT_EQ(found.rate, (LoadRate{1, 2}));
  EXPECT_EQ(found.carriers, (Members{0, 1}));
}

RC_GTEST_PROP(RecurrenceProperties, EqualsTheSlowestOfAllCycles, ()) {
  const std::size_t carriers = *rc::gen::inRange<std::size_t>(1, 6);
  const auto path =
      rc::gen::build<CarriedPath>(rc::gen::set(&CarriedPath::from, rc::gen::inRange<std::size_t>(0, carriers)),
                                  rc::gen::set(&CarriedPath::to, rc::gen::inRange<std::size_t>(0, carriers)),
                                  rc::gen::set(&CarriedPath::loads, rc::gen::inRange<std::uint32_t>(0, 6)));
  const auto paths = *rc::gen::container<std::vector<CarriedPath>>(*rc::gen::inRange<std::size_t>(0, 14), path);
  const Recurrence found = slowest_recurrence(carriers, paths);
  RC_ASSERT(found.rate == NaiveRecurrence(carriers, paths).rate());

  // The carriers that it names have it among themselves.
  std::vector<CarriedPath> inside;
  for (const CarriedPath& p : paths) {
    const bool both = std::ranges::count(found.carriers, p.from) + std::ranges::count(found.carriers, p.to) == 2;
    if (both) inside.push_back(p);
  }
  RC_ASSERT(found.rate == NaiveRecurrence(carriers, inside).rate());
}

}  // namespace
}  // namespace cachescape::pass
