// Loops are their accesses, and how a stream is cut into calls changes nothing.
#include <random>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "analyze/coherence/sharing_analysis.hpp"

namespace cachescape::analyze {
namespace {

std::vector<StridedAccess> arbitrary_body(std::mt19937_64& random) {
  constexpr std::int64_t steps[] = {0, 1, 2, 3, 4, 8, 16, 24, 64, -4, -8, -16};
  std::vector<StridedAccess> body(1 + random() % 5);
  for (StridedAccess& a : body) {
    // Near each other, farther away, and at the end of the address space.
    a.base = Address{random() % 40 == 0 ? ~std::uint64_t{0} - random() % 200
                                        : 65536 + random() % (random() % 2 == 0 ? 512 : 8192)};
    a.step = steps[random() % std::size(steps)];
    a.size = 1u << (random() % 4);
    a.kind = static_cast<AccessKind>(random() % access_kinds);
    a.site = SiteId{random() % 3};
  }
  return body;
}

TEST(SharingAnalysis, LoopsAreTheirAccesses) {
  std::mt19937_64 random(31);
  for (int round = 0; round < 200; ++round) {
    const SharingOptions options{LineSize{6}, 1 + static_cast<std::uint32_t>(random() % 2), random() % 2 == 0 ? 5u : 0u,
                                 8, true};
    SharingAnalysis as_loops(options);
    SharingAnalysis as_accesses(options);
    SharingAnalysis one_by_one(options);
    for (int i = 0; i < 60; ++i) {
      const std::vector<StridedAccess> body = arbitrary_body(random);
      const std::uint64_t trips = 1 + random() % 60;
      const auto thread = static_cast<std::uint32_t>(random() % 3);
      as_loops.consume(thread, trips, body);
      std::vector<PackedAccess> accesses;
      for (std::uint64_t t = 0; t < trips; ++t)
        for (const StridedAccess& a : body)
          accesses.emplace_back(a.at(t), a.size, a.kind, static_cast<std::uint32_t>(a.site.value));
      as_accesses.consume(thread, accesses);
      for (const PackedAccess& a : accesses) one_by_one.consume(thread, std::span(&a, 1));
    }
    for (SharingAnalysis* analysis : {&as_loops, &as_accesses, &one_by_one}) analysis->flush();
    for (const SharingAnalysis* other : {&as_accesses, &one_by_one}) {
      ASSERT_EQ(as_loops.profile(), other->profile()) << "round " << round;
      ASSERT_EQ(as_loops.events().pairs(), other->events().pairs());
      ASSERT_EQ(as_loops.events().worst_lines(), other->events().worst_lines());
    }
  }
}

}  // namespace
}  // namespace cachescape::analyze
