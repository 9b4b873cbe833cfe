#include "model/confidence.hpp"

#include <gtest/gtest.h>

#include "model/kind_counts.hpp"
#include "model/naive_profile.hpp"
#include "model/streams.hpp"

namespace cachescape::model {
namespace {

constexpr std::uint64_t one_in = 4;
constexpr LineSize line_size{6};

std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

/// Half of the accesses go to 40 lines, the others to 600.
std::vector<Access> skewed_program() {
  std::vector<Access> accesses;
  for (std::uint64_t i = 0; i < 12'000; ++i) {
    const std::uint64_t r = mixed(i + 1);
    accesses.push_back(
        {Address{(r % 2 == 0 ? r / 2 % 40 : r / 2 % 600) * 64}, 8, AccessKind::read, ThreadId{0}, SiteId{0}});
  }
  return accesses;
}

/// What a sampler of one line in four records of it.
Profile sample_of(const std::vector<Access>& accesses, std::uint64_t seed, bool popularity) {
  std::vector<Access> chosen;
  for (const Access& a : accesses) {
    if (mixed(line_size.line_of(a.address).value * 1000 + seed) % one_in == 0) chosen.push_back(a);
  }
  Profile profile = naive::profile_of(chosen, {.lines = {line_size}});
  profile.threads = {{ThreadId{0}, {accesses.size(), 0, 0}}};
  profile.sampling = {.method = Sampling::Method::shards_rate, .rate = 1.0 / one_in, .analysed = chosen.size()};
  for (Histogram& h : profile.stacks[0].kinds) {
    for (Bin& b : h.bins) b.value *= one_in;
  }
  if (!popularity) profile.stacks[0].popularity.clear();
  return profile;
}

int covered(bool popularity, std::uint64_t lines, int rounds) {
  const std::vector<Access> accesses = skewed_program();
  const Profile whole = naive::profile_of(accesses, {.lines = {line_size}});
  const std::uint64_t truth = sum(MissCurve(whole.stacks[0], {}).misses(lines));
  int inside = 0;
  for (int seed = 1; seed <= rounds; ++seed) {
    const Streams streams(sample_of(accesses, static_cast<std::uint64_t>(seed), popularity));
    const StreamModel& stream = *streams.find({}, line_size);
    const std::uint64_t misses = sum(stream.curve().misses(lines));
    const Interval i = interval_of(misses, miss_variance(stream, 1, lines), accesses.size());
    EXPECT_LE(i.low, misses);
    EXPECT_GE(i.high, misses);
    if (i.low <= truth && truth <= i.high) ++inside;
  }
  return inside;
}

TEST(Confidence, OfSampledLinesHoldsTheTruthAboutAsOftenAsItSays) {
  for (const std::uint64_t lines : {50u, 200u, 500u}) {
    EXPECT_GE(covered(true, lines, 60), 53) << lines;
    EXPECT_GE(covered(false, lines, 60), 50) << lines;
  }
}

TEST(Confidence, IsNotUselesslyWide) {
  const std::vector<Access> accesses = skewed_program();
  const Streams streams(sample_of(accesses, 1, true));
  const StreamModel& stream = *streams.find({}, line_size);
  const std::uint64_t misses = sum(stream.curve().misses(200));
  const Interval i = interval_of(misses, miss_variance(stream, 1, 200), accesses.size());
  EXPECT_LT(i.high - i.low, misses);
}

TEST(Confidence, OfWindowsIsTheWorstCase) {
  Profile profile;
  profile.threads = {{ThreadId{0}, {10'000, 0, 0}}};
  profile.sampling = {.method = Sampling::Method::interval, .rate = 0.1, .on = 10, .off = 90, .analysed = 1000};
  StackProfile stack;
  stack.kinds[0] = {{{0, 800}, {50, 200}}, 0};
  profile.stacks = {stack};
  const Streams streams(profile);
  const StreamModel& stream = *streams.find({}, line_size);
  const std::uint64_t misses = sum(stream.curve().misses(10));
  EXPECT_EQ(misses, 2000u);
  // 100 windows, p = 0.2: 10000² × 0.16 / 100 × 0.9.
  const double variance = miss_variance(stream, 1, 10);
  EXPECT_DOUBLE_EQ(variance, 144'000);
  EXPECT_EQ(interval_of(misses, variance, 10'000), (Interval{1256, 2744}));
  EXPECT_GT(miss_variance(stream, 1, 100), 0);
}

TEST(Confidence, OfEverythingIsCertain) {
  const Profile whole = naive::profile_of(naive::accesses_of("abacbdda"), {.lines = {line_size}});
  const Streams streams(whole);
  EXPECT_EQ(miss_variance(*streams.find({}, line_size), 1, 4), 0);
  EXPECT_EQ(interval_of(4, 0, 8), (Interval{4, 4}));
}

}  // namespace
}  // namespace cachescape::model
