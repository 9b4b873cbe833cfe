// A fully associative LRU cache of line numbers alone: what tells conflict misses from capacity misses.
#pragma once

#include <cstdint>
#include <vector>

#include "simulate/line_index.hpp"
#include "simulate/recency_list.hpp"

namespace cachescape::simulate {

class Shadow {
 public:
  explicit Shadow(std::size_t lines) : capacity_(lines), index_(lines), links_(lines) {}

  /// A request: a use if the line is there. Whether it is.
  bool use(std::uint64_t line) {
    if (list_.newest != no_slot && index_.line_at(list_.newest) == line) return true;
    const std::uint32_t slot = index_.find(line);
    if (slot == no_slot) return false;
    links_.renew(list_, slot);
    return true;
  }

  void insert(std::uint64_t line) {
    if (use(line)) return;
    const std::uint32_t slot = free_slot();
    index_.insert(line, slot);
    links_.push_newest(list_, slot);
  }

  void remove(std::uint64_t line) {
    const std::uint32_t slot = index_.find(line);
    if (slot == no_slot) return;
    index_.erase(line);
    links_.remove(list_, slot);
    free_.push_back(slot);
  }

 private:
  std::uint32_t free_slot() {
    if (!free_.empty()) {
      const std::uint32_t slot = free_.back();
      free_.pop_back();
      return slot;
    }
    if (used_ < capacity_) return used_++;
    const std::uint32_t slot = list_.oldest;
    index_.erase(index_.line_at(slot));
    links_.remove(list_, slot);
    return slot;
  }

  std::size_t capacity_;
  std::uint32_t used_ = 0;
  LineIndex index_;
  RecencyLinks links_;
  RecencyLinks::List list_;
  std::vector<std::uint32_t> free_;
};

}  // namespace cachescape::simulate
