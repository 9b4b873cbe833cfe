#include "observe/collect/unique_bytes.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>
#include <set>

namespace cachescape::collect {
namespace {

RC_GTEST_PROP(ByteSet, AgreesWithASet, ()) {
  ByteSet bytes;
  std::set<std::uint64_t> expected;
  const auto ranges = *rc::gen::container<std::vector<std::pair<std::uint64_t, std::uint64_t>>>(
      rc::gen::pair(rc::gen::inRange<std::uint64_t>(0, 500), rc::gen::inRange<std::uint64_t>(0, 200)));
  for (const auto& [begin, count] : ranges) {
    bytes.add(begin, count);
    for (std::uint64_t b = begin; b < begin + count; ++b) expected.insert(b);
    RC_ASSERT(bytes.size() == expected.size());
  }
}

TEST(ByteSet, EndsWithTheAddressSpace) {
  ByteSet bytes;
  bytes.add(std::numeric_limits<std::uint64_t>::max() - 10, 100);
  EXPECT_EQ(bytes.size(), 10u);
}

TEST(UniqueBytes, LoopsAreTheirAccesses) {
  const PlaceNumbers places;
  const ModuleSet modules;
  for (const std::int64_t step : {0, 4, 8, 12, -4, -20}) {
    StridedRun run;
    run.trips = 50;
    run.body.push_back({Address{10'000}, step, 8, AccessKind::read, SiteId{0}});
    UniqueBytes by_loop, by_access;
    by_loop.take(run, places, modules);
    PackedBatch batch;
    for (std::uint64_t i = 0; i < run.trips; ++i) batch.push({run.body[0].at(i), 8, AccessKind::read, 0});
    by_access.take(batch, places, modules);
    EXPECT_EQ(by_loop.counted(), by_access.counted()) << step;
  }
}

}  // namespace
}  // namespace cachescape::collect
