// Write-backs by simulation: a fully associative LRU cache of one size that writes back and allocates on writes, as a
// list. O(lines of the cache) per touch. The truth that WriteEpochs is tested against; shares nothing with it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "cachescape/quantity.hpp"

namespace cachescape::analyze {

class NaiveWriteBackCache {
 public:
  explicit NaiveWriteBackCache(std::size_t lines) : lines_(lines) {}

  void touch(Line line, bool writes) {
    bool dirty = writes;
    const auto found = std::ranges::find(held_, line, &Held::line);
    if (found != held_.end()) {
      dirty = dirty || found->dirty;
      held_.erase(found);
    } else if (held_.size() == lines_) {
      if (held_.back().dirty) ++write_backs_;
      held_.pop_back();
    }
    held_.insert(held_.begin(), {line, dirty});
  }

  /// Lines that are still held are not written back.
  std::uint64_t write_backs() const { return write_backs_; }

 private:
  struct Held {
    Line line;
    bool dirty = false;
  };

  std::size_t lines_;
  std::vector<Held> held_;  ///< most recently touched first
  std::uint64_t write_backs_ = 0;
};

}  // namespace cachescape::analyze
