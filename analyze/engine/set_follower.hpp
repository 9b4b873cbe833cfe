// Set distances of touches that an analysis found, followed later and perhaps by another thread: they take as long as
// all the rest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "analyze/distance/set_distance.hpp"

namespace cachescape::analyze {

/// One thread may add() while another is in follow(); everything else has the object for itself. Memory: that of
/// SetDistances, and up to 28 MiB of touches on their way.
class SetFollower {
 public:
  SetFollower(const SetGrid& grid, std::size_t groups) : sets_(grid, groups) {}

  /// Preconditions: as many groups and weights as lines.
  void add(std::span<const Line> lines, std::span<const std::uint16_t> groups, std::span<const std::uint32_t> weights,
           bool weighted) {
    coming_.lines.insert(coming_.lines.end(), lines.begin(), lines.end());
    coming_.groups.insert(coming_.groups.end(), groups.begin(), groups.end());
    coming_.weights.insert(coming_.weights.end(), weights.begin(), weights.end());
    coming_.weighted |= weighted;
    // A loop may pass more lines in a moment than there is room for.
    if (coming_.lines.size() >= most_on_their_way) catch_up();
  }
  /// What follow() takes next is what has been added. Precondition: follow() has taken what was there before.
  void exchange() { std::swap(coming_, in_work_); }
  void follow() {
    const std::lock_guard lock(*following_);
    follow(in_work_);
  }
  void catch_up() {
    const std::lock_guard lock(*following_);
    follow(in_work_);
    follow(coming_);
  }
  /// Touches that change the order and count nothing. Precondition: nothing was added.
  void seed(std::span<const Line> lines) {
    const std::vector<std::uint32_t> never(lines.size(), 0);
    sets_.process(lines, {}, never);
  }

  /// Precondition: caught up.
  const SetDistances& sets() const { return sets_; }
  std::uint64_t memory_bytes() const { return sets_.memory_bytes() + coming_.memory_bytes() + in_work_.memory_bytes(); }

 private:
  static constexpr std::size_t most_on_their_way = std::size_t{1} << 20;

  struct Touched {
    std::vector<Line> lines;
    std::vector<std::uint16_t> groups;
    std::vector<std::uint32_t> weights;
    bool weighted = false;  ///< not all of them count once

    void clear() {
      lines.clear();
      groups.clear();
      weights.clear();
      weighted = false;
    }
    std::uint64_t memory_bytes() const {
      return lines.capacity() * sizeof(Line) + groups.capacity() * sizeof(std::uint16_t) +
             weights.capacity() * sizeof(std::uint32_t);
    }
  };

  void follow(Touched& touched) {
    const std::span<const std::uint32_t> all_once;
    sets_.process(touched.lines, touched.groups, touched.weighted ? std::span(touched.weights) : all_once);
    touched.clear();
  }

  SetDistances sets_;
  std::unique_ptr<std::mutex> following_ = std::make_unique<std::mutex>();
  Touched coming_;
  Touched in_work_;
};

}  // namespace cachescape::analyze
