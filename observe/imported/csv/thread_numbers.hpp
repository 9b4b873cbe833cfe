// Thread ids from a table. Tables hold any integers (pthread_self() gives addresses); ThreadId has 32 bits.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "cachescape/quantity.hpp"

namespace cachescape::imported {

/// Numbers below 2^31 stay what they are; all other integers get numbers from 2^32 - 1 downwards, in order of first
/// appearance, so that different threads stay different. O(1) while the thread stays the same, else O(log threads).
class ThreadNumbers {
 public:
  static constexpr std::uint64_t kept_below = std::uint64_t{1} << 31;
  /// More threads than this with a number of their own are refused.
  static constexpr std::size_t most_renumbered = std::size_t{1} << 20;

  /// Nothing where there are too many threads.
  std::optional<ThreadId> number_of(bool negative, std::uint64_t magnitude) {
    if (!negative && magnitude < kept_below) return ThreadId{static_cast<std::uint32_t>(magnitude)};
    const Key key{negative, magnitude};
    if (last_ && last_->first == key) return last_->second;
    auto found = renumbered_.find(key);
    if (found == renumbered_.end()) {
      if (renumbered_.size() == most_renumbered) return std::nullopt;
      const ThreadId next{0xffffffffu - static_cast<std::uint32_t>(renumbered_.size())};
      found = renumbered_.emplace(key, next).first;
    }
    last_ = {key, found->second};
    return found->second;
  }

 private:
  using Key = std::pair<bool, std::uint64_t>;
  std::map<Key, ThreadId> renumbered_;
  std::optional<std::pair<Key, ThreadId>> last_;
};

}  // namespace cachescape::imported
