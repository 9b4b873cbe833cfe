// A loop's lines, taken all at once: room for one such sweep.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <vector>

#include "analyze/distance/far_sets.hpp"
#include "analyze/distance/front.hpp"
#include "analyze/engine/loop_plan.hpp"
#include "cachescape/quantity.hpp"

namespace cachescape::analyze {

/// Columns of one table; `leave` and the rest are independent of the others.
struct SweptLines {
  SweptLines() { std::iota(std::begin(as_they_came), std::end(as_they_came), std::uint16_t{0}); }

  /// More lines than these are not taken at once.
  static constexpr std::size_t most = 1024;

  // Most sweeps have some dozens of lines. Columns begin at different places of a page: where the lower bits of two
  // addresses agree, processors take a load for one that waits for a store.
  alignas(4096) Line come[most];  ///< in the order of their first touches
  alignas(4096) std::byte skew_of_group[1024];
  std::uint16_t group[most];
  alignas(4096) std::byte skew_of_place[1536];
  std::uint32_t place[most];
  alignas(4096) std::byte skew_of_distance[2304];
  std::uint32_t distance[most];
  alignas(4096) std::byte skew_of_as_they_came[3072];
  std::uint16_t as_they_came[most];
  alignas(4096) std::byte skew_of_leave[3584];
  std::uint16_t leave[most];  ///< their numbers, in the order of their last touches
};

/// What set distances have to follow of it: also what the front has to hand over before, and one touch more.
class SweptSets {
 public:
  static constexpr std::size_t most = SweptLines::most + Front::lines + 1;

  void clear() { count_ = 0; }
  void touch(Line line, std::uint16_t group, std::uint32_t weight) {
    line_[count_] = line;
    left_[count_] = left_next_;
    demotion_[count_] = demotion_next_;
    group_[count_] = group;
    weight_[count_] = weight;
    demotion_next_ = 0;
    ++count_;
  }
  /// Tells, once, of the line touched last how it stands to others (FarTouches).
  void demote(Line line, std::uint64_t demotion) {
    left_next_ = line;
    demotion_next_ = demotion;
  }
  bool demotes() const { return demotion_next_ != 0; }
  EnteringLines entering() const {
    return {{line_, count_}, {left_, count_}, {demotion_, count_}, {group_, count_}, {weight_, count_}};
  }

 private:
  std::size_t count_ = 0;
  Line left_next_{0};
  std::uint64_t demotion_next_ = 0;
  Line line_[most];
  Line left_[most];
  std::uint64_t demotion_[most];
  std::uint16_t group_[most];
  std::uint32_t weight_[most];
};

struct Sweep {
  std::size_t count = 0;
  /// Where the numbers of a cluster's lines stand, which begin at its lowest.
  struct Cluster {
    std::size_t begin;
    Reach reach;
  };
  std::vector<Cluster> clusters;
  std::vector<std::uint16_t> numbers;
  std::unique_ptr<SweptLines> lines = std::make_unique<SweptLines>();
  std::unique_ptr<SweptSets> sets = std::make_unique<SweptSets>();
};

}  // namespace cachescape::analyze
