#include "product/proxy/chain.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "product/proxy/chain_naive.hpp"
#include "product/proxy/seed_example.hpp"

namespace cachescape::proxy {
namespace {

template <class Element>
std::vector<std::uint64_t> linked(const synth::Seed& seed, const Layout& layout) {
  std::vector<Element> array(layout.elements());
  link<Element>(seed, layout, array);
  return {array.begin(), array.end()};
}

// The dissertation's example, section 5.8.1: visits 0 3 6 4 2 1 5 7.
TEST(Chain, HoldsTheNextIndex) {
  const synth::Seed seed = seed_of({0, 3, 6, 4, 2, 1, 5, 7});
  const auto layout = lay_out(seed, Bytes{0}, 1);
  ASSERT_TRUE(layout);
  auto array = linked<std::uint32_t>(seed, *layout);
  array.resize(8);
  EXPECT_EQ(array, (std::vector<std::uint64_t>{3, 5, 1, 6, 2, 7, 4, 0}));
  EXPECT_EQ(starts(seed, *layout), std::vector<std::uint64_t>{0});
}

TEST(Chain, HoldsTheSecondNextIndexForTwoChains) {
  const synth::Seed seed = seed_of({0, 3, 6, 4, 2, 1, 5, 7});
  const auto layout = lay_out(seed, Bytes{0}, 2);
  ASSERT_TRUE(layout);
  auto array = linked<std::uint32_t>(seed, *layout);
  array.resize(8);
  EXPECT_EQ(array, (std::vector<std::uint64_t>{6, 7, 5, 4, 1, 0, 2, 3}));
  EXPECT_EQ(starts(seed, *layout), (std::vector<std::uint64_t>{0, 3}));
}

TEST(Chain, ReplicationsFollowEachOtherOverDisjointMemory) {
  const synth::Seed seed = seed_of({5, 2}, 512);
  const auto layout = lay_out(seed, Bytes{1024}, 1);
  ASSERT_TRUE(layout);
  EXPECT_EQ(layout->replications, 2u);
  const auto array = linked<std::uint32_t>(seed, *layout);
  EXPECT_EQ(array[5], 2u);
  EXPECT_EQ(array[2], 128u + 5u);
  EXPECT_EQ(array[128 + 5], 128u + 2u);
  EXPECT_EQ(array[128 + 2], 5u);
}

TEST(Chain, TheFootprintIsTheSmallestMultipleNotBelow) {
  synth::Seed seed = seed_of({0, 1}, 1024);
  const auto replications = [&](std::uint64_t bytes) { return lay_out(seed, Bytes{bytes}, 1)->replications; };
  EXPECT_EQ(replications(0), 1u);
  EXPECT_EQ(replications(1024), 1u);
  EXPECT_EQ(replications(1025), 2u);
  EXPECT_EQ(replications(2048), 2u);
  seed.least_replications = 3;
  EXPECT_EQ(replications(0), 3u);
  EXPECT_EQ(replications(5000), 5u);
}

TEST(Chain, SmallElementsCannotTellMoreThanTwoToTheThirtyTwoApart) {
  const std::uint64_t most = std::uint64_t{1} << 34;
  EXPECT_TRUE(lay_out(seed_of({0}), Bytes{most}, 1));
  const auto refused = lay_out(seed_of({0}), Bytes{most + 1}, 1);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::limit);
  EXPECT_TRUE(lay_out(seed_of({0}, 512, 8), Bytes{most + 1}, 1));
}

TEST(Chain, SizesDoNotOverflow) {
  synth::Seed seed = seed_of({0}, 512, 8);
  EXPECT_FALSE(lay_out(seed, Bytes{~std::uint64_t{0}}, 1));
  seed.least_replications = ~std::uint64_t{0};
  EXPECT_FALSE(lay_out(seed, Bytes{0}, 1));
}

TEST(Chain, RefusesSeedsThatNoArrayHolds) {
  EXPECT_FALSE(lay_out(seed_of({1, 2, 1}), Bytes{0}, 1));
  EXPECT_FALSE(lay_out(seed_of({}), Bytes{0}, 1));
  EXPECT_FALSE(lay_out(seed_of({128}), Bytes{0}, 1));
  EXPECT_FALSE(lay_out(seed_of({0}, 500), Bytes{0}, 1));
  EXPECT_FALSE(lay_out(seed_of({0}, 0), Bytes{0}, 1));
  EXPECT_FALSE(lay_out(seed_of({0}, 512, 2), Bytes{0}, 1));
}

TEST(Chain, RefusesPhasesThatAreRepeated) {
  synth::Seed seed = seed_of({0, 1});
  seed.phases.emplace_back();
  EXPECT_TRUE(lay_out(seed, Bytes{0}, 1));
  seed.phases[0].repeats = 2;
  EXPECT_FALSE(lay_out(seed, Bytes{0}, 1));
}

TEST(Chain, RefusesNumbersOfChains) {
  EXPECT_FALSE(lay_out(seed_of({0}), Bytes{0}, 0));
  EXPECT_TRUE(lay_out(seed_of({0}), Bytes{0}, most_chains));
  EXPECT_FALSE(lay_out(seed_of({0}), Bytes{0}, most_chains + 1));
}

RC_GTEST_PROP(Chain, EqualsItsNaiveTwin, ()) {
  const auto word = *rc::gen::element(4u, 8u);
  const auto seed = shuffled_seed(*rc::gen::inRange<std::size_t>(1, 5), *rc::gen::inRange<std::size_t>(1, 300), word,
                                  *rc::gen::arbitrary<std::uint32_t>());
  const auto layout =
      lay_out(seed, Bytes{*rc::gen::inRange<std::uint64_t>(0, 20000)}, *rc::gen::inRange(1u, most_chains + 1));
  RC_ASSERT(layout.has_value());
  RC_ASSERT((word == 4 ? linked<std::uint32_t>(seed, *layout) : linked<std::uint64_t>(seed, *layout)) ==
            linked_naively(seed, *layout));
}

}  // namespace
}  // namespace cachescape::proxy
