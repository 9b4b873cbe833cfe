// The textbook way to stack distances, as a baseline: a hash table from line to last time, and a Fenwick tree over
// times in which a 1 marks the last touch of a line. Grows with the footprint; renumbers when times run out. With the
// standard library's hash table, as the textbook has it, or with the fastest that we know.
#pragma once

#include <algorithm>
#include <bit>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "analyze/distance/stack_distances.hpp"
#include "cachescape/quantity.hpp"

namespace cachescape::bench {

using StandardTable = std::unordered_map<std::uint64_t, std::uint32_t>;
using FlatTable = boost::unordered_flat_map<std::uint64_t, std::uint32_t>;

/// With `SameLine`, a touch of the same line as before returns at once.
template <class Table, bool SameLine>
class FenwickDistances {
 public:
  FenwickDistances() { resize(std::size_t{1} << 16); }

  void process(std::span<const Line> lines, std::span<std::uint32_t> distances) {
    for (std::size_t i = 0; i < lines.size(); ++i) distances[i] = touch(lines[i].value);
  }
  std::uint64_t distinct_lines() const { return last_.size(); }

 private:
  static constexpr std::uint64_t nobody = ~std::uint64_t{0};

  std::uint32_t touch(std::uint64_t line) {
    if constexpr (SameLine) {
      if (now_ > 1 && line == owner_[now_ - 1]) return 0;
    }
    if (now_ == tree_.size()) compact();
    const auto [entry, is_new] = last_.try_emplace(line, now_);
    std::uint32_t distance = analyze::cold_distance;
    if (!is_new) {
      const std::uint32_t then = entry->second;
      distance = static_cast<std::uint32_t>(last_.size()) - prefix(then);
      add(then, ~std::uint32_t{0});
      owner_[then] = nobody;
      entry->second = now_;
    }
    add(now_, 1);
    owner_[now_] = line;
    ++now_;
    return distance;
  }

  std::uint32_t prefix(std::uint32_t i) const {
    std::uint32_t sum = 0;
    for (; i != 0; i &= i - 1) sum += tree_[i];
    return sum;
  }
  void add(std::uint32_t i, std::uint32_t n) {
    for (; i < tree_.size(); i += i & (0U - i)) tree_[i] += n;
  }
  void resize(std::size_t times) {
    tree_.assign(times, 0);
    owner_.resize(times, nobody);
  }

  void compact() {
    std::uint32_t live = 0;
    for (std::uint32_t i = 1; i < now_; ++i) {
      if (owner_[i] == nobody) continue;
      ++live;
      owner_[live] = owner_[i];
      last_[owner_[live]] = live;
    }
    now_ = live + 1;
    resize(std::max(tree_.size(), std::bit_ceil(std::size_t{live} * 4)));
    std::fill(tree_.begin() + 1, tree_.begin() + now_, 1);
    for (std::uint32_t i = 1; i < tree_.size(); ++i)
      if (const std::uint32_t parent = i + (i & (0U - i)); parent < tree_.size()) tree_[parent] += tree_[i];
  }

  Table last_;
  std::vector<std::uint32_t> tree_;
  std::vector<std::uint64_t> owner_;  ///< line whose last touch this time is, or nobody
  std::uint32_t now_ = 1;
};

}  // namespace cachescape::bench
