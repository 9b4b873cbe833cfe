#include "observe/compiled/pass/recurrence.hpp"

#include <algorithm>
#include <utility>

namespace cachescape::pass {
namespace {

using Paths = std::vector<CarriedPath>;

std::vector<bool> reached_from(std::size_t start, const std::vector<std::vector<std::size_t>>& next) {
  std::vector<bool> reached(next.size());
  std::vector<std::size_t> open = {start};
  while (!open.empty()) {
    const std::size_t at = open.back();
    open.pop_back();
    for (const std::size_t to : next[at]) {
      if (reached[to]) continue;
      reached[to] = true;
      open.push_back(to);
    }
  }
  return reached;
}

/// Of carriers 0 … count − 1, each of which is reached from each.
LoadRate largest_mean(std::size_t count, const Paths& paths) {
  // most[k][v]: loads on the best walk of k steps that ends at v, wherever it began; negative where there is none.
  std::vector<std::vector<std::int64_t>> most(count + 1, std::vector<std::int64_t>(count, -1));
  std::ranges::fill(most[0], 0);
  for (std::size_t k = 0; k < count; ++k) {
    for (const CarriedPath& path : paths)
      most[k + 1][path.to] = std::max(most[k + 1][path.to], most[k][path.from] + path.loads);
  }
  LoadRate largest;
  for (std::size_t v = 0; v < count; ++v) {
    LoadRate least{most[count][v], static_cast<std::int64_t>(count)};
    for (std::size_t k = 1; k < count; ++k)
      least = std::min(least, LoadRate{most[count][v] - most[k][v], static_cast<std::int64_t>(count - k)});
    largest = std::max(largest, least);
  }
  return largest;
}

}  // namespace

Recurrence slowest_recurrence(std::size_t carriers, const Paths& paths) {
  std::vector<std::vector<std::size_t>> next(carriers), before(carriers);
  for (const CarriedPath& path : paths) {
    next[path.from].push_back(path.to);
    before[path.to].push_back(path.from);
  }
  constexpr auto elsewhere = static_cast<std::size_t>(-1);
  std::vector<bool> seen(carriers);
  Recurrence slowest;
  for (std::size_t c = 0; c < carriers; ++c) {
    if (seen[c]) continue;
    const std::vector<bool> after = reached_from(c, next);
    if (!after[c]) continue;
    const std::vector<bool> ahead = reached_from(c, before);
    std::vector<std::size_t> members;
    std::vector<std::size_t> number(carriers, elsewhere);
    for (std::size_t m = 0; m < carriers; ++m) {
      if (!after[m] || !ahead[m]) continue;
      seen[m] = true;
      number[m] = members.size();
      members.push_back(m);
    }
    Paths inside;
    for (const CarriedPath& path : paths) {
      if (number[path.from] != elsewhere && number[path.to] != elsewhere)
        inside.push_back({number[path.from], number[path.to], path.loads});
    }
    const LoadRate rate = largest_mean(members.size(), inside);
    if (slowest.rate < rate) slowest = {rate, std::move(members)};
  }
  return slowest;
}

}  // namespace cachescape::pass
