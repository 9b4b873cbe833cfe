#include "product/proxy/bench_report.hpp"

#include <gtest/gtest.h>

#include "product/proxy/seed_example.hpp"

namespace cachescape::proxy {
namespace {

BenchResult example() {
  BenchResult result;
  result.name = "x.seed";
  result.working_set = 16384;
  result.chains_chosen = true;
  result.parallelism = 3.25;
  Measurement& m = result.measurement;
  m.layout = {4, 4096, 4000, 4, 3};
  m.warm_up = 16000;
  m.operations = 3'000'000;
  m.seconds = {0.01, 0.02};
  m.rate = {225e6, 150e6, 300e6, 187.5e6, 262.5e6};
  return result;
}

TEST(BenchReport, TellsHowAndHowFast) {
  EXPECT_EQ(bench_text(example()),
            "x.seed: 4,000 references in 16 KiB\n"
            "array of 64 KiB: 4 replications of it, 4-byte elements, small pages\n"
            "3 chains: the loads of what the seed was made from have a parallelism of 3.25\n"
            "2 × 3,000,000 operations after a warm-up of 16,000, on any processor\n"
            "\n"
            "                M operations/s  ns per operation\n"
            "median                  225.00             4.444\n"
            "best                    300.00             3.333\n"
            "worst                   150.00             6.667\n"
            "lower quartile          187.50             5.333\n"
            "upper quartile          262.50             3.810\n");
}

TEST(BenchReport, TellsWhatIsNotAsAskedFor) {
  BenchResult result = example();
  result.parallelism.reset();
  Measurement& m = result.measurement;
  m.layout.chains = 20;
  m.spilled_chains = 7;
  m.huge_pages_asked = true;
  m.counts.emplace().why_missing = "no reason";
  m.processor = 1;
  const std::string text = bench_text(result);
  for (const char* part :
       {"small pages: the kernel gives no huge ones\n",
        "20 chains: how many loads of what the seed was made from wait for each other is not known\n",
        "the stack holds the others", "on processor 1\n", "\nno hardware counters: no reason\n"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  m.counts->values[0] = 4.5;
  EXPECT_NE(bench_text(result).find("\nby operation: 4.5000 cycles\nothers are not counted: no reason\n"),
            std::string::npos);
}

TEST(BenchReport, TellsWhatTheBenchmarkLeavesOut) {
  synth::Seed seed = seed_of({0, 1, 2});
  EXPECT_EQ(about_seed("x", seed).threads, 1u);
  seed.kinds = {AccessKind::write, AccessKind::read, AccessKind::modify};
  seed.threads = {0, 3, 1};
  BenchResult result = about_seed("x.seed", seed);
  EXPECT_EQ(result.writes, 2u);
  EXPECT_EQ(result.threads, 4u);
  EXPECT_EQ(result.working_set, 512u);
  result.measurement = example().measurement;
  EXPECT_NE(bench_text(result).find("\nits 2 writes are read, its 4 threads are one\n"), std::string::npos);
  EXPECT_EQ(bench_json(result)["writes_read"], 2);
}

TEST(BenchReport, SaysTheSameInJson) {
  BenchResult result = example();
  result.measurement.counts.emplace().values[1] = 2.5;
  const auto json = bench_json(result);
  EXPECT_EQ(json["schema"], "cachescape.bench");
  EXPECT_EQ(json["array_bytes"], 65536);
  EXPECT_EQ(json["parallelism"], 3.25);
  EXPECT_EQ(json["operations_per_second"]["best"], 300e6);
  EXPECT_EQ(json["processor"], nullptr);
  EXPECT_EQ(json["counts_per_operation"]["instructions"], 2.5);
  EXPECT_EQ(json["counts_per_operation"]["cycles"], nullptr);
}

}  // namespace
}  // namespace cachescape::proxy
