#include "analyze/coherence/hole_stack.hpp"

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "analyze/coherence/hole_stack_naive.hpp"

namespace cachescape::analyze {
namespace {

/// LRU caches of every size up to the last, kept apart: what the stack is about.
class Caches {
 public:
  explicit Caches(std::size_t most_lines) : held_(most_lines + 1) {}

  /// The least size that hits, less one; cold_distance if none does.
  std::uint32_t touch(Line line) {
    std::uint32_t depth = cold_distance;
    for (std::size_t size = held_.size() - 1; size > 0; --size) {
      std::vector<Line>& lines = held_[size];
      if (const auto at = std::ranges::find(lines, line); at != lines.end()) {
        lines.erase(at);
        depth = static_cast<std::uint32_t>(size - 1);
      } else if (lines.size() == size) {
        lines.pop_back();
      }
      lines.insert(lines.begin(), line);
    }
    return depth;
  }
  void take(Line line) {
    for (auto& lines : held_) std::erase(lines, line);
  }

 private:
  std::vector<std::vector<Line>> held_;  ///< by size, most recent first
};

TEST(NaiveHoleStack, IsEveryCacheAtOnce) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 50; ++round) {
    constexpr std::size_t lines = 24;
    NaiveHoleStack stack;
    Caches caches(lines);
    for (int i = 0; i < 1000; ++i) {
      const Line line{random() % lines};
      if (random() % 4 == 0) {
        if (stack.depth(line) != cold_distance) stack.take(line);
        caches.take(line);
      } else {
        ASSERT_EQ(stack.touch(line), caches.touch(line));
      }
    }
  }
}

/// Lines on a HoleStack: who has which time.
class Lines {
 public:
  explicit Lines(std::uint64_t lines) : times_(lines) {}

  std::uint32_t depth(Line line) const {
    const HoleStack::Time time = times_[line.value];
    return time != 0 ? stack_.depth(time) : cold_distance;
  }
  std::uint32_t touch(Line line) {
    const std::uint32_t depth = this->depth(line);
    stack_.leave(std::exchange(times_[line.value], 0));
    if (stack_.full()) {
      for (HoleStack::Time& time : times_)
        if (time != 0) time = stack_.renumbered(time);
      stack_.renew(times_.size());
    }
    times_[line.value] = stack_.enter();
    return depth;
  }
  void take(Line line) { stack_.take(std::exchange(times_[line.value], 0)); }

 private:
  HoleStack stack_{256};
  std::vector<HoleStack::Time> times_;
};

TEST(HoleStack, AgreesWithItsTwin) {
  std::mt19937_64 random(11);
  for (int round = 0; round < 60; ++round) {
    const std::uint64_t lines = std::uint64_t{1} << (1 + random() % 11);
    const unsigned taken_in_1000 = static_cast<unsigned>(random() % 400);
    Lines fast(lines);
    NaiveHoleStack naive;
    for (int i = 0; i < 4000; ++i) {
      // Near lines more often than far ones.
      const Line line{random() % (1 + random() % lines)};
      if (random() % 1000 >= taken_in_1000) {
        ASSERT_EQ(fast.touch(line), naive.touch(line));
        continue;
      }
      const std::uint32_t depth = naive.depth(line);
      ASSERT_EQ(fast.depth(line), depth);
      if (depth == cold_distance) continue;
      fast.take(line);
      naive.take(line);
    }
  }
}

}  // namespace
}  // namespace cachescape::analyze
