#include "product/proxy/chase.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "product/proxy/chain_naive.hpp"
#include "product/proxy/seed_example.hpp"

namespace cachescape::proxy {
namespace {

/// The first `rounds` × chains visits that the loops make, told by asking for one step at a time.
template <class Element>
std::vector<std::uint64_t> visits(const synth::Seed& seed, const Layout& layout, std::uint64_t rounds) {
  std::vector<Element> array(layout.elements());
  link<Element>(seed, layout, array);
  std::vector<std::uint64_t> at = starts(seed, layout);
  std::vector<std::uint64_t> all;
  for (std::uint64_t r = 0; r < rounds; ++r) {
    all.insert(all.end(), at.begin(), at.end());
    chase<Element>(array.data(), at, 1);
  }
  return all;
}

template <class Element>
void visits_the_loop(const synth::Seed& seed, unsigned chains) {
  const auto layout = lay_out(seed, Bytes{3 * seed.working_set}, chains);
  RC_ASSERT(layout.has_value());
  const auto loop = loop_of(seed, *layout);
  const std::uint64_t rounds = 2 * loop.size() / chains + 1;
  const auto all = visits<Element>(seed, *layout, rounds);
  for (std::size_t i = 0; i < all.size(); ++i) RC_ASSERT(all[i] == loop[i % loop.size()]);

  std::vector<Element> array(layout->elements());
  link<Element>(seed, *layout, array);
  std::vector<std::uint64_t> at = starts(seed, *layout);
  chase<Element>(array.data(), at, rounds);
  for (unsigned k = 0; k < chains; ++k) RC_ASSERT(at[k] == loop[(rounds * chains + k) % loop.size()]);
}

RC_GTEST_PROP(Chase, AnyNumberOfChainsVisitsTheSeedInItsOrder, ()) {
  const auto blocks = *rc::gen::inRange<std::size_t>(1, 4);
  const auto references = *rc::gen::inRange<std::size_t>(1, 200);
  const auto random = *rc::gen::arbitrary<std::uint32_t>();
  const auto chains = *rc::gen::inRange(1u, most_chains + 1);
  visits_the_loop<std::uint32_t>(shuffled_seed(blocks, references, 4, random), chains);
  visits_the_loop<std::uint64_t>(shuffled_seed(blocks, references, 8, random), chains);
}

}  // namespace
}  // namespace cachescape::proxy
