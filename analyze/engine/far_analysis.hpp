// What is analysed of far touches one after the other (front.hpp): stack distances, how often each occurs, and epochs
// between writes.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "analyze/coherence/cache_group.hpp"
#include "analyze/distance/distance_counts.hpp"
#include "analyze/distance/far_stack.hpp"
#include "analyze/distance/front_state.hpp"
#include "analyze/distance/write_epochs.hpp"
#include "analyze/engine/place_counts.hpp"
#include "cachescape/histogram.hpp"
#include "cachescape/places.hpp"

namespace cachescape::analyze {

/// Used by one thread at a time. Memory per line of the footprint: that of FarStack and WriteEpochs, and 8 … 16 bytes
/// of counters per kind.
class FarAnalysis {
 public:
  struct Options {
    bool write_backs = false;  ///< follow epochs
    bool places = false;       ///< count distances by place too
  };

  explicit FarAnalysis(const Options& options);

  /// What left a front full, in the order of events.
  void follow(const FarTouches& far, std::span<const EpochEvent> events);
  /// As FarStack::sweep().
  bool sweep(const FarStack::Sweep& sweep, std::span<const std::uint8_t> lanes, std::span<std::uint32_t> distances) {
    return stack_.sweep(sweep, lanes, distances);
  }

  /// Touches whose distance was found, or that were cold.
  void count(std::uint32_t place, std::size_t group, std::uint32_t distance, std::uint32_t weight) {
    const std::size_t kind = group % access_kinds;
    const std::uint64_t times = weight * count_scale_;
    if (distance == cold_distance) [[unlikely]] {
      counts_[group].add_cold(times);
      if (options_.places) place_counts_.add_cold(place, kind, times);
      return;
    }
    counts_[group].add(distance, times);
    if (options_.places) place_counts_.add(place, kind, distance, times);
  }
  /// A touch as it concerns its line's epoch. Precondition: epochs are followed.
  void follow_epoch(Line line, std::uint32_t distance, bool writes, std::uint32_t weight) {
    const std::uint32_t greatest = epochs_->touch(line, distance, writes);
    if (greatest != WriteEpochs::no_epoch) add_ended_epochs(greatest, weight);
  }

  /// What is known without following each touch.
  void add(std::size_t group, std::uint32_t distance, std::uint64_t times) {
    counts_[group].add(distance, times * count_scale_);
  }
  void add_by_place(std::uint32_t place, std::size_t kind, std::uint32_t distance, std::uint64_t times) {
    if (options_.places) place_counts_.add(place, kind, distance, times * count_scale_);
  }
  void add_ended_epochs(std::uint32_t greatest, std::uint64_t times) {
    ended_epochs_.add(greatest, times * count_scale_);
  }

  /// Takes over all counts but those by place, and the epochs. Precondition: nothing was counted yet.
  void count_on_from(const FarAnalysis& other);
  /// Follows half as many lines, from none on. What was counted keeps its weight: distances are in units twice as long.
  void halve(const std::function<bool(Line)>& follows);

  /// What was counted. `unit`: by which distances are multiplied.
  Histogram histogram(std::size_t group, std::uint64_t unit) const {
    return counts_[group].histogram(unit, count_scale_);
  }
  std::uint64_t at(std::size_t group, std::size_t distance) const { return counts_[group].at(distance); }
  std::vector<PlaceDistances> by_place(std::uint64_t unit) const { return place_counts_.distances(unit, count_scale_); }
  /// Epochs that have ended; with those that the end of the stream would end, whose lines were last touched in this
  /// order.
  std::vector<Bin> ended_epochs(std::uint64_t unit) const { return ended_epochs_.histogram(unit, count_scale_).bins; }
  std::vector<Bin> all_epochs(std::uint64_t unit, const std::function<std::vector<Line>()>& recency_order) const;
  bool follows_epochs() const { return epochs_.has_value(); }
  /// With the distance that each has come, as far as it is known.
  std::vector<CacheGroup::Known> known(std::span<const Line> lines) const;

  const FarStack& stack() const { return stack_; }
  std::uint64_t memory_bytes() const;

 private:
  void count_far(const FarTouches& far);
  void follow_epochs(const FarTouches& far, std::span<const EpochEvent> events);

  Options options_;
  FarStack stack_;
  std::array<DistanceCounts, FrontState::groups> counts_;
  PlaceCounts place_counts_;
  std::optional<WriteEpochs> epochs_;
  DistanceCounts ended_epochs_;  ///< by greatest distance
  /// After halvings, counts are kept in units of 1/count_scale_, so that those from before keep their weight.
  std::uint64_t count_scale_ = 1;
  std::array<std::uint32_t, FarTouches::capacity> distances_;
};

}  // namespace cachescape::analyze
