#include "product/proxy/emit.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "product/proxy/chain_naive.hpp"
#include "product/proxy/seed_example.hpp"

namespace cachescape::proxy {
namespace {

class Emit : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "cachescape-emit-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  /// What the compiled program prints.
  std::string run(const synth::Seed& seed, const std::string& options, unsigned chains = 1) {
    const auto text = proxy_program(seed, "a \\ test\n#error", chains);
    EXPECT_TRUE(text);
    std::ofstream(folder_ / "proxy.c") << text.value_or("");
    const std::string folder = folder_.string();
    const std::string command = fmt::format(
        "gcc -std=c11 -pedantic -Wall -Wextra -Werror -O2 {0}/proxy.c -o {0}/proxy && {0}/proxy {1}", folder, options);
    FILE* pipe = popen(command.c_str(), "r");
    EXPECT_NE(pipe, nullptr);
    std::string output;
    std::array<char, 4096> buffer{};
    while (const std::size_t n = std::fread(buffer.data(), 1, buffer.size(), pipe)) output.append(buffer.data(), n);
    EXPECT_EQ(pclose(pipe), 0) << command;
    return output;
  }

  std::vector<std::uint64_t> visits(const synth::Seed& seed, const std::string& options, unsigned chains = 1) {
    std::istringstream lines(run(seed, options, chains));
    std::vector<std::uint64_t> list;
    for (std::uint64_t index = 0; lines >> index;) list.push_back(index);
    return list;
  }

  std::filesystem::path folder_;
};

TEST_F(Emit, TheProgramVisitsTheSeedsWordsInTheirOrder) {
  // More than one string literal, and steps in both directions.
  const synth::Seed seed = shuffled_seed(100, 5000, 4, 1);
  const auto layout = lay_out(seed, Bytes{0}, 1);
  auto expected = loop_of(seed, *layout);
  expected.push_back(expected[0]);
  EXPECT_EQ(visits(seed, "--visits 5001"), expected);
}

TEST_F(Emit, AnyNumberOfChainsAndReplicationsMakesTheSameVisits) {
  synth::Seed seed = shuffled_seed(2, 90, 8, 2);
  seed.least_replications = 2;
  const auto layout = lay_out(seed, Bytes{3000}, 7);
  ASSERT_EQ(layout->replications, 3u);
  auto expected = loop_of(seed, *layout);
  expected.insert(expected.end(), expected.begin(), expected.begin() + 30);
  EXPECT_EQ(visits(seed, "--footprint 3000 --visits 300", 7), expected);
  EXPECT_EQ(visits(seed, "--footprint 2.5K --visits 300 --ilp 20", 7), expected);
}

TEST_F(Emit, FarWordsAreKept) {
  const std::vector<std::uint32_t> words{0, 0x0fffffff, 7, 0x08000000, 1};
  const std::vector<std::uint64_t> expected(words.begin(), words.end());
  EXPECT_EQ(visits(seed_of(words, std::uint64_t{1} << 30), "--visits 5"), expected);
}

TEST_F(Emit, TheProgramMeasures) {
  const std::string output =
      run(shuffled_seed(4, 512, 4, 3), "--ops 10000 --repeat 3 --footprint 1M --ilp 3 --delay 0.01");
  EXPECT_NE(output.find("array of 1048576 bytes"), std::string::npos) << output;
  EXPECT_NE(output.find("3 chains, 3 x 10002 operations"), std::string::npos) << output;
  EXPECT_NE(output.find("\nmedian  "), std::string::npos) << output;
}

TEST_F(Emit, RefusesWhatNoArrayHolds) { EXPECT_FALSE(proxy_program(seed_of({1, 1}), "twice", 1)); }

}  // namespace
}  // namespace cachescape::proxy
