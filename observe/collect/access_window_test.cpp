#include "observe/collect/access_window.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "observe/collect/kept_accesses.hpp"

namespace cachescape::collect {
namespace {

/// Batches and runs of accesses at ascending addresses: the address is the number.
void feed(AccessSink& sink, const std::vector<std::pair<bool, unsigned>>& pieces) {
  std::uint64_t number = 0;
  for (const auto& [as_run, size] : pieces) {
    if (as_run) {
      StridedRun run;
      run.trips = size;
      for (std::uint64_t i = 0; i < 3; ++i)
        run.body.push_back({Address{number + i}, 3, 1, AccessKind::read, SiteId{7}});
      number += run.trips * 3;
      sink.take(run);
    } else {
      PackedBatch batch;
      for (unsigned i = 0; i < size; ++i) batch.push({Address{number++}, 1, AccessKind::write, 7});
      sink.take(batch);
    }
  }
}

std::vector<std::uint64_t> addresses(const KeptAccesses& kept) {
  std::vector<std::uint64_t> all;
  for (const Seen& s : kept.seen) all.push_back(s.address);
  return all;
}

RC_GTEST_PROP(AccessWindow, HandsOnJustThePartThatIsAskedFor, ()) {
  const auto pieces = *rc::gen::container<std::vector<std::pair<bool, unsigned>>>(
      rc::gen::pair(rc::gen::arbitrary<bool>(), rc::gen::inRange(0U, 40U)));
  std::uint64_t total = 0;
  for (const auto& [as_run, size] : pieces) total += as_run ? 3 * size : size;
  WindowLimits limits;
  limits.skip = *rc::gen::inRange<std::uint64_t>(0, total + 2);
  limits.count = *rc::gen::inRange<std::uint64_t>(0, total + 2);
  KeptAccesses kept;
  AccessWindow window(kept, limits, [] { return 0.0; });
  feed(window, pieces);
  std::vector<std::uint64_t> expected;
  for (std::uint64_t i = limits.skip; i < std::min(limits.skip + limits.count, total); ++i) expected.push_back(i);
  RC_ASSERT(addresses(kept) == expected);
  RC_ASSERT(window.over() == (expected.size() == limits.count));
}

TEST(AccessWindow, SaysWhatMayBePassedOver) {
  KeptAccesses kept;
  WindowLimits limits;
  limits.skip = 10;
  limits.count = 5;
  AccessWindow window(kept, limits, [] { return 0.0; });
  EXPECT_EQ(window.unwanted(), 10);
  window.pass_over(ThreadId{0}, {4, 3, 1}, 64);
  EXPECT_EQ(window.unwanted(), 2);
  feed(window, {{false, 4}});
  EXPECT_EQ(addresses(kept), (std::vector<std::uint64_t>{2, 3}));
  kept.unwanted_accesses = 100;
  EXPECT_EQ(window.unwanted(), 3) << "no more than is left of the window";
  window.pass_over(ThreadId{0}, {3, 0, 0}, 24);
  EXPECT_EQ(kept.passed, (KindCounts{3, 0, 0}));
  EXPECT_TRUE(window.over());
  EXPECT_EQ(window.unwanted(), WindowLimits::no_limit);
}

TEST(AccessWindow, OpensAndClosesByTime) {
  KeptAccesses kept;
  WindowLimits limits;
  limits.after = 2;
  limits.seconds = 3;
  double now = 0;
  AccessWindow window(kept, limits, [&] { return now; });
  for (now = 0; now < 8; ++now) {
    EXPECT_EQ(window.unwanted() == WindowLimits::no_limit, now < 2 || now >= 5) << now;
    EXPECT_EQ(window.over(), now >= 5);
    feed(window, {{false, 1}});
  }
  EXPECT_EQ(kept.seen.size(), 3);
}

}  // namespace
}  // namespace cachescape::collect
