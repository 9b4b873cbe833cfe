#include "product/synth/set_accounts.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace cachescape::synth {
namespace {

/// Sets as lists, most recent first.
class NaiveCache {
 public:
  NaiveCache(std::uint64_t sets, std::size_t ways) : sets_(sets), ways_(ways) {}
  bool has(std::uint64_t line) const {
    const auto set = lists_.find(line % sets_);
    return set != lists_.end() && std::ranges::count(set->second, line) > 0;
  }
  void touch(std::uint64_t line) {
    std::vector<std::uint64_t>& set = lists_[line % sets_];
    std::erase(set, line);
    set.insert(set.begin(), line);
    if (set.size() > ways_) set.pop_back();
  }

 private:
  std::uint64_t sets_;
  std::size_t ways_;
  std::map<std::uint64_t, std::vector<std::uint64_t>> lists_;
};

RC_GTEST_PROP(SetAccounts, WorthIsWhatCachesWant, ()) {
  const std::vector<signature::SetHitRate> caches{{1, 2, 0.5}, {4, 1, 0.25}, {8, 3, 0.75}, {2, 4, 0.5}, {3, 2, 1}};
  const auto lines = *rc::gen::container<std::vector<std::uint32_t>>(rc::gen::inRange<std::uint32_t>(0, 40));
  SetAccounts accounts(caches);
  accounts.reserve(40);
  std::vector<NaiveCache> naive;
  for (const auto& cache : caches) naive.emplace_back(cache.sets, cache.ways);
  std::vector<double> hits(caches.size());
  std::vector<bool> seen(40);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    accounts.weigh(i + 1, 1000);
    for (std::uint32_t line = 0; line < 40; ++line) {
      double worth = 0;
      for (std::size_t c = 0; c < caches.size(); ++c) {
        const double want = caches[c].hit_rate * static_cast<double>(i + 1) - hits[c];
        worth += naive[c].has(line) ? want : -want;
      }
      RC_ASSERT(std::abs(accounts.worth(line) - worth) < 1e-9);
    }
    for (std::size_t c = 0; c < caches.size(); ++c) {
      hits[c] += naive[c].has(lines[i]) ? 1 : 0;
      naive[c].touch(lines[i]);
    }
    accounts.touch(lines[i], lines[i], !seen[lines[i]]);
    seen[lines[i]] = true;
  }
}

TEST(SetAccounts, NewLinesStandForOthers) {
  SetAccounts accounts(std::vector<signature::SetHitRate>{{4, 4, 1.0}});
  accounts.reserve(2);
  accounts.weigh(10, 15);
  EXPECT_DOUBLE_EQ(accounts.worth_of_new(), 10);
  accounts.touch(0, 0, true);
  accounts.weigh(10, 16);
  EXPECT_DOUBLE_EQ(accounts.worth_of_new(), -9);
}

}  // namespace
}  // namespace cachescape::synth
