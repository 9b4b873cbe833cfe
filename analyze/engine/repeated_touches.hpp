// Touches on their way to the counters, which are many and far apart: a place that sees the same distance again and
// again, as most do, is counted where it is at hand.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace cachescape::analyze {

/// Touches by one place, of one kind, at one distance.
struct RepeatedTouch {
  static constexpr unsigned kind_bits = 3;

  std::uint32_t distance = 0;
  std::uint32_t times = 0;  ///< the sum of their weights
  std::uint64_t by = 0;     ///< place << kind_bits | kind

  std::size_t kind() const { return by & ((1u << kind_bits) - 1); }
  std::uint32_t place() const { return static_cast<std::uint32_t>(by >> kind_bits); }
};

/// 16 KiB. What is in it is not counted yet.
class RepeatedTouches {
 public:
  /// Calls count(RepeatedTouch) for what has to make room.
  template <class Count>
  void add(std::uint32_t place, std::size_t kind, std::uint32_t distance, std::uint32_t weight, Count count) {
    const std::uint64_t by = std::uint64_t{place} << RepeatedTouch::kind_bits | kind;
    RepeatedTouch& r = recent_[by % recent_.size()];
    if (r.distance == distance && r.by == by && r.times <= ~weight) [[likely]] {
      r.times += weight;
      return;
    }
    if (r.times != 0) count(r);
    r = {distance, weight, by};
  }
  template <class Count>
  void empty(Count count) {
    for (RepeatedTouch& r : recent_) {
      if (r.times != 0) count(r);
      r.times = 0;
    }
  }

 private:
  std::array<RepeatedTouch, 1024> recent_{};
};

}  // namespace cachescape::analyze
