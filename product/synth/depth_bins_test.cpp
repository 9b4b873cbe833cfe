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
  std::size_t bin(std::uint32_t line) const {
    const auto at = std::ranges::find(stack_, line);
    return at == stack_.end() ? cold_bin : signature_bin(static_cast<std::uint64_t>(at - stack_.begin()));
  }
  void touch(std::uint32_t line) {
    std::erase(stack_, line);
    stack_.insert(stack_.begin(), line);
  }
  const std::vector<std::uint32_t>& stack() const { return stack_; }

 private:
  std::vector<std::uint32_t> stack_;
};

RC_GTEST_PROP(DepthBins, AreThoseOfAList, ()) {
  const auto lines = *rc::gen::inRange<std::uint32_t>(1, 200);
  const auto touches = *rc::gen::container<std::vector<std::uint32_t>>(rc::gen::inRange<std::uint32_t>(0, lines));
  DepthBins bins;
  NaiveBins naive;
  for (const std::uint32_t line : touches) {
    RC_ASSERT(bins.touch(line) == naive.bin(line));
    naive.touch(line);
    RC_ASSERT(bins.lines() == naive.stack().size());
    for (std::uint32_t other = 0; other < lines; ++other) RC_ASSERT(bins.bin(other) == naive.bin(other));
    for (std::uint64_t d = 0; d < bins.lines(); ++d) RC_ASSERT(bins.at(d) == naive.stack()[d]);
  }
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
