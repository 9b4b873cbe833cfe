#include "model/counters.hpp"

#include <gtest/gtest.h>

#include "model/places_example.hpp"

namespace cachescape::model {
namespace {

TEST(Counters, AddUpByProgramFunctionAndBlock) {
  const Places places = example_program().places;
  const Counters all = counters_of(places);
  EXPECT_EQ(all, (Counters{{"branches.conditional", 11},
                           {"bytes.loaded", 128},
                           {"bytes.stored", 112},
                           {"instructions", 110},
                           {"int.ops", 10},
                           {"loads", 16},
                           {"stores", 14}}));
  const auto functions = counters_by(places, Grouping::function);
  ASSERT_EQ(functions.size(), 2u);
  EXPECT_EQ(functions[0].group.name, "main");
  EXPECT_EQ(functions[0].counters, (Counters{{"bytes.stored", 64}, {"instructions", 40}, {"loads", 0}, {"stores", 8}}));
  EXPECT_EQ(functions[1].group.name, "sum");
  EXPECT_EQ(value_of(functions[1].counters, "loads"), 16u);
  const auto blocks = counters_by(places, Grouping::block);
  ASSERT_EQ(blocks.size(), 2u);
  EXPECT_EQ(blocks[1].group.name, "sum.c:7");
  EXPECT_EQ(blocks[1].counters, functions[1].counters);
  EXPECT_TRUE(counters_by(places, Grouping::object).empty());
}

TEST(Counters, RatiosOfWhatWasCounted) {
  const auto names_and_values = [](const std::vector<Ratio>& ratios) {
    std::vector<std::pair<std::string, double>> pairs;
    for (const Ratio& r : ratios) pairs.emplace_back(r.key, r.value);
    return pairs;
  };
  using Pairs = std::vector<std::pair<std::string, double>>;
  EXPECT_EQ(
      names_and_values(ratios_of(counters_of(example_program().places))),
      (Pairs{{"operations_per_load", 10.0 / 16}, {"loads_per_store", 16.0 / 14}, {"branches_per_instruction", 0.1}}));
  EXPECT_EQ(names_and_values(ratios_of({{"flops", 4},
                                        {"int.ops", 12},
                                        {"op.bits", 1024},
                                        {"loads", 8},
                                        {"stores", 0},
                                        {"bytes.loaded", 64},
                                        {"bytes.stored", 6},
                                        {"vector.ops", 4},
                                        {"vector.f64x2", 3},
                                        {"vector.i32x8", 1},
                                        {"vector.otherx2", 1}})),
            (Pairs{{"bytes_per_flop", 17.5},
                   {"flops_per_access", 0.5},
                   {"operations_per_load", 2},
                   {"bits_per_operation", 64},
                   {"elements_per_vector", 16.0 / 5},
                   {"bits_per_element", (6 * 64 + 8 * 32) / 14.0}}));
  EXPECT_TRUE(ratios_of({}).empty());
  EXPECT_TRUE(ratios_of({{"flops", 0}, {"bytes.loaded", 8}}).empty());
}

TEST(Counters, LoadsInFlightAreLoadsOverThoseInARow) {
  EXPECT_EQ(loads_in_flight({{"loads", 12}, {"loads.serial", 3000}}), 4.0);
  EXPECT_EQ(loads_in_flight({{"loads", 12}}), std::nullopt);
  EXPECT_EQ(loads_in_flight({{"loads", 0}, {"loads.serial", 3000}}), std::nullopt);
  EXPECT_EQ(loads_in_flight({{"loads", 12}, {"loads.serial", 0}}), std::nullopt);
  EXPECT_EQ(ratios_of({{"loads", 12}, {"loads.serial", 3000}}),
            (std::vector<Ratio>{{"loads in flight", "loads_in_flight", 4}}));
}

TEST(Counters, ByPrefixLargestFirst) {
  const Counters counters{{"load.f64", 2}, {"load.i32", 7}, {"load.i8", 2}, {"loads", 11}, {"store.i8", 1}};
  EXPECT_EQ(counts_with_prefix(counters, "load."), (std::vector<NamedCount>{{"i32", 7}, {"f64", 2}, {"i8", 2}}));
  EXPECT_TRUE(counts_with_prefix(counters, "call.").empty());
}

}  // namespace
}  // namespace cachescape::model
