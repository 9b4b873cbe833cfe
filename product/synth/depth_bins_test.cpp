#include "product/synth/depth_bins.hpp"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace cachescape::synth {
namespace {

/// The stack as a list, most recent first.
class NaiveBins {
 public:
  explicit NaiveBins(const Bins& bins) : bins_(bins) {}
  std::size_t bin(std::uint32_t line) const {
    const auto at = std::ranges::find(stack_, line);
    return at == stack_.end() ? bins_.cold() : bins_.of(static_cast<std::uint64_t>(at - stack_.begin()));
  }
  void touch(std::uint32_t line) {
    std::erase(stack_, line);
    stack_.insert(stack_.begin(), line);
  }
  const std::vector<std::uint32_t>& stack() const { return stack_; }

 private:
  const Bins& bins_;
  std::vector<std::uint32_t> stack_;
};

RC_GTEST_PROP(DepthBins, AreThoseOfAList, ()) {
  const auto lines = *rc::gen::inRange<std::uint32_t>(1, 200);
  const auto touches = *rc::gen::container<std::vector<std::uint32_t>>(rc::gen::inRange<std::uint32_t>(0, lines));
  DepthBins bins;
  NaiveBins naive(octaves);
  for (const std::uint32_t line : touches) {
    RC_ASSERT(bins.touch(line) == naive.bin(line));
    naive.touch(line);
    RC_ASSERT(bins.lines() == naive.stack().size());
    for (std::uint32_t other = 0; other < lines; ++other) RC_ASSERT(bins.bin(other) == naive.bin(other));
    for (std::uint64_t d = 0; d < bins.lines(); ++d) RC_ASSERT(bins.at(d) == naive.stack()[d]);
  }
}

TEST(DepthBins, QuartersAreThoseOfAList) {
  constexpr std::uint32_t lines = 900;
  DepthBins bins(quarters);
  NaiveBins naive(quarters);
  std::uint32_t line = 1;
  for (int i = 0; i < 4000; ++i) {
    line = line * 1103515245 + 12345;
    const std::uint32_t touched = (line >> 8) % (i < 2000 ? 100 + static_cast<std::uint32_t>(i) / 3 : lines);
    ASSERT_EQ(bins.touch(touched), naive.bin(touched));
    naive.touch(touched);
    if (i % 100 > 0) continue;
    for (std::uint32_t other = 0; other < lines; ++other) ASSERT_EQ(bins.bin(other), naive.bin(other));
  }
}

TEST(Bins, OctavesAreThoseOfSignatures) {
  for (const std::uint64_t distance : {0ul, 1ul, 2ul, 3ul, 511ul, 512ul, 700ul, 65'535ul, 65'536ul}) {
    EXPECT_EQ(octaves.of(distance), signature_bin(distance));
    EXPECT_EQ(quarters.octave(quarters.of(distance)), signature_bin(distance));
  }
  EXPECT_EQ(quarters.end(quarters.of(512)), 640u);
  EXPECT_EQ(quarters.end(quarters.of(65'535)), 65'536u);
  EXPECT_EQ(quarters.depths(), most_depths);
}

TEST(DepthBins, KnowWhatIsFarFromWhatIsCold) {
  constexpr std::uint32_t lines = (1u << 16) + 2;
  DepthBins bins;
  for (std::uint32_t line = 0; line < lines; ++line) bins.touch(line);
  EXPECT_EQ(bins.bin(0), far_bin);
  EXPECT_EQ(bins.bin(1), far_bin);
  EXPECT_EQ(bins.bin(2), 16u);
  EXPECT_EQ(bins.bin(lines), cold_bin);
  EXPECT_EQ(bins.touch(0), far_bin);
  EXPECT_EQ(bins.bin(2), far_bin);
  EXPECT_EQ(bins.bin(3), 16u);
}

}  // namespace
}  // namespace cachescape::synth
