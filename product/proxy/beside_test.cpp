#include "product/proxy/beside.hpp"

#include <gtest/gtest.h>

#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "product/proxy/beside_report.hpp"
#include "product/proxy/companion.hpp"
#include "product/proxy/processor.hpp"
#include "product/proxy/seed_example.hpp"

namespace cachescape::proxy {
namespace {

/// Whether the process exists and has not ended.
bool alive(pid_t pid) {
  std::string line;
  std::getline(std::ifstream("/proc/" + std::to_string(pid) + "/stat"), line);
  const std::size_t name_end = line.rfind(')');
  return name_end != std::string::npos && line.substr(name_end, 3) != ") Z";
}

Interference example() {
  Interference of;
  of.names = {"light", "heavy"};
  of.processors = {2, 3};
  of.alone = {{100, 90, 110, 95, 105}, {10, 9, 11, 9, 11}};
  of.together = {{{100, 1, 1, 1, 1}, {80, 1, 1, 1, 1}}, {{9, 1, 1, 1, 1}, {5, 1, 1, 1, 1}}};
  return of;
}

TEST(Beside, SensitivityIsByRowAndInterferenceByColumn) {
  const Interference of = example();
  EXPECT_DOUBLE_EQ(of.remaining(0, 1), 0.8);
  EXPECT_DOUBLE_EQ(of.sensitivity(0), 0.9);
  EXPECT_DOUBLE_EQ(of.sensitivity(1), 0.7);
  EXPECT_DOUBLE_EQ(of.interference(0), 0.95);
  EXPECT_DOUBLE_EQ(of.interference(1), 0.65);
}

TEST(Beside, IsPrintedAsAMatrix) {
  EXPECT_EQ(beside_text(example()),
            "Speed on processor 2 beside another on processor 3, of 1 when alone; medians.\n"
            "A row tells what a workload suffers (sensitivity), a column what it does to others (interference).\n\n"
            "       alone/s  light  heavy  mean\n"
            "light      100   1.00   0.80  0.90\n"
            "heavy       10   0.90   0.50  0.70\n"
            "mean             0.95   0.65\n");
  const auto json = beside_json(example());
  EXPECT_EQ(json["workloads"][1]["beside"][0]["remaining"], 0.9);
  EXPECT_EQ(json["workloads"][0]["interference"], 0.95);
}

class BesideOnTwo : public testing::Test {
 protected:
  void SetUp() override {
    const auto processors = two_processors();
    if (!processors) GTEST_SKIP() << processors.error().what;
    options_.processors = *processors;
    options_.operations = 100'000;
    options_.repetitions = 2;
  }
  BesideOptions options_;
};

TEST_F(BesideOnTwo, MeasuresSeedsAndCommands) {
  std::vector<Contender> contenders(3);
  contenders[0].name = "random";
  contenders[0].seed = shuffled_seed(100, 5000, 4, 1);
  contenders[1].name = "wide";
  contenders[1].seed = shuffled_seed(100, 5000, 8, 2);
  contenders[1].chains = 4;
  contenders[2].name = contenders[2].command = "sleep 0.01";
  const auto of = measure_beside(contenders, options_);
  ASSERT_TRUE(of) << of.error().what;
  ASSERT_EQ(of->together.size(), 3u);
  for (std::size_t who = 0; who < 3; ++who) {
    EXPECT_GT(of->alone[who].least, 0);
    ASSERT_EQ(of->together[who].size(), 3u);
    for (const Spread& beside : of->together[who]) EXPECT_GT(beside.least, 0);
  }
  EXPECT_LE(of->alone[2].most, 100);
}

TEST_F(BesideOnTwo, ACommandThatFailsIsAnError) {
  std::vector<Contender> contenders(1);
  contenders[0].name = contenders[0].command = "exit 3";
  const auto of = measure_beside(contenders, options_);
  ASSERT_FALSE(of);
  EXPECT_EQ(of.error().what, "it ended with exit code 3");
}

TEST_F(BesideOnTwo, ACommandThatFailsBesideOthersIsAnError) {
  std::string folder = (std::filesystem::temp_directory_path() / "cachescape-beside-XXXXXX").string();
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  std::vector<Contender> contenders(1);
  // Succeeds for the two repetitions alone, and never again.
  contenders[0].name = contenders[0].command =
      "sleep 0.05; echo >> " + folder + "/runs; test $(wc -l < " + folder + "/runs) -le 2";
  EXPECT_FALSE(measure_beside(contenders, options_));
  std::filesystem::remove_all(folder);
}

TEST_F(BesideOnTwo, ACompanionEndsWithWhatItStarted) {
  std::string folder = (std::filesystem::temp_directory_path() / "cachescape-beside-XXXXXX").string();
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  const std::string command = "echo $$ > " + folder + "/new && mv " + folder + "/new " + folder + "/pid && sleep 100";
  pid_t pid = 0;
  {
    const Companion::Work work{[] { return Result<void>{}; }, [&] { return run_command(command); }};
    const auto companion = Companion::start(work, options_.processors[1]);
    ASSERT_TRUE(companion);
    while (!std::filesystem::exists(folder + "/pid")) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    std::ifstream(folder + "/pid") >> pid;
    EXPECT_TRUE(companion->running());
    EXPECT_TRUE(alive(pid));
  }
  for (int i = 0; i < 5000 && alive(pid); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_FALSE(alive(pid));
  std::filesystem::remove_all(folder);
}

TEST_F(BesideOnTwo, TwoProcessorsAreNeeded) {
  const auto one = Binding::to(options_.processors[0]);
  ASSERT_TRUE(one);
  const auto two = two_processors();
  ASSERT_FALSE(two);
  EXPECT_EQ(two.error().kind, ErrorKind::unsupported);
}

}  // namespace
}  // namespace cachescape::proxy
