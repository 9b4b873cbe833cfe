#include "observe/compiled/pass/load_chains.hpp"

#include <gtest/gtest.h>

namespace cachescape::pass {
namespace {

/// Graphs are written as the code that they stand for; every value is used by its number.
class Code {
 public:
  std::size_t block(std::size_t above = no_block) {
    graph.block_above.push_back(above);
    return graph.block_above.size() - 1;
  }
  std::size_t carrier() {
    graph.carriers.push_back(graph.nodes.size());
    return value({});
  }
  std::size_t value(std::vector<std::size_t> from) { return add({std::move(from), no_block, false}); }
  std::size_t load(std::vector<std::size_t> from, std::size_t block = 0) { return add({std::move(from), block, true}); }
  void hand(std::size_t value, std::size_t carrier) { graph.handovers.push_back({value, carrier}); }

  LoadGraph graph;

 private:
  std::size_t add(ValueNode node) {
    graph.nodes.push_back(std::move(node));
    return graph.nodes.size() - 1;
  }
};

using Shares = std::vector<double>;

TEST(LoadChains, OfAnArrayNothingIsCarried) {
  Code code;
  code.block();
  const std::size_t i = code.carrier(), sum = code.carrier();
  const std::size_t b = code.load({i});
  const std::size_t a = code.load({b});
  code.hand(code.value({sum, a}), 1);
  code.hand(code.value({i}), 0);
  const LoadChains chains = load_chains(code.graph);
  EXPECT_EQ(chains.longest, 2u);
  EXPECT_EQ(chains.carried.loads, 0);
  EXPECT_EQ(chains.carried_by_block, (Shares{0}));
}

TEST(LoadChains, OfAListTheNextPointerIsCarriedAndThePayloadIsNot) {
  Code code;
  code.block();
  const std::size_t p = code.carrier(), sum = code.carrier();
  const std::size_t payload = code.load({p});
  const std::size_t deeper = code.load({payload});
  code.hand(code.value({sum, deeper}), 1);
  code.hand(code.load({p}), 0);
  const LoadChains chains = load_chains(code.graph);
  EXPECT_EQ(chains.longest, 2u);
  EXPECT_EQ(chains.carried, (LoadRate{1, 1}));
  EXPECT_EQ(chains.carried_by_block, (Shares{1}));
}

TEST(LoadChains, TwoStepsInOneIterationAreTwo) {
  Code code;
  code.block();
  const std::size_t p = code.carrier();
  code.hand(code.load({code.load({p})}), 0);
  const LoadChains chains = load_chains(code.graph);
  EXPECT_EQ(chains.carried, (LoadRate{2, 1}));
  EXPECT_EQ(chains.carried_by_block, (Shares{2}));
}

TEST(LoadChains, AStepFromTheLastButOneIterationIsAHalf) {
  Code code;
  code.block();
  const std::size_t p = code.carrier(), q = code.carrier();
  code.hand(code.load({p}), 1);
  code.hand(q, 0);
  EXPECT_EQ(load_chains(code.graph).carried_by_block, (Shares{0.5}));
}

TEST(LoadChains, TwoPointersThatFollowEachOtherStepTogether) {
  Code code;
  code.block();
  const std::size_t p = code.carrier(), q = code.carrier();
  code.hand(code.load({p}), 1);
  code.hand(code.load({q}), 0);
  const LoadChains chains = load_chains(code.graph);
  EXPECT_EQ(chains.carried, (LoadRate{1, 1}));
  EXPECT_EQ(chains.carried_by_block, (Shares{1}));
}

TEST(LoadChains, BlocksThatExcludeEachOtherHaveTheirOwnSteps) {
  Code code;
  const std::size_t head = code.block();
  const std::size_t left = code.block(head), right = code.block(head), last = code.block(head);
  const std::size_t t = code.carrier();
  code.load({t}, head);
  const std::size_t l = code.load({t}, left), r = code.load({t}, right);
  code.hand(code.load({code.value({l, r})}, last), 0);
  const LoadChains chains = load_chains(code.graph);
  EXPECT_EQ(chains.carried, (LoadRate{2, 1}));
  EXPECT_EQ(chains.carried_by_block, (Shares{0, 1, 1, 1}));
}

TEST(LoadChains, ManyValuesThatFollowEachOtherAreTakenForOne) {
  for (const std::size_t carriers : {most_carriers, most_carriers + 1}) {
    Code code;
    code.block();
    for (std::size_t c = 0; c < carriers; ++c) code.carrier();
    for (std::size_t c = 0; c < carriers; ++c) code.hand(c == 0 ? code.load({c}) : c, (c + 1) % carriers);
    const auto iterations = static_cast<std::int64_t>(carriers <= most_carriers ? carriers : 1);
    EXPECT_EQ(load_chains(code.graph).carried, (LoadRate{1, iterations}));
  }
}

TEST(LoadChains, LoadsSideBySideAreOneStepAlsoInTwoBlocks) {
  Code code;
  const std::size_t first = code.block();
  const std::size_t second = code.block(first);
  const std::size_t i = code.carrier();
  const std::size_t a = code.load({i}, first), b = code.load({i}, second);
  code.hand(code.value({a, b}), 0);
  const LoadChains chains = load_chains(code.graph);
  EXPECT_EQ(chains.carried, (LoadRate{1, 1}));
  EXPECT_EQ(chains.carried_by_block, (Shares{1, 0}));
}

}  // namespace
}  // namespace cachescape::pass
