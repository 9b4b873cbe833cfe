// Everything that is analysed of one stream of touches at one line size.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "analyze/distance/set_distance.hpp"
#include "analyze/distance/stack_distances.hpp"
#include "analyze/distance/write_epochs.hpp"
#include "analyze/engine/distance_counts.hpp"
#include "analyze/engine/line_sample.hpp"
#include "analyze/engine/place_counts.hpp"
#include "cachescape/profile.hpp"

namespace cachescape::analyze {

struct LineAnalysisOptions {
  LineSize line{6};
  std::optional<SetGrid> sets;  ///< set distances too
  bool popularity = false;      ///< how often each line is touched; a hash table entry per line
  bool write_backs = false;     ///< what write-back caches write back; 4 bytes and more per line ever written
  bool places = false;          ///< distances by place too
  LineSample sample;            ///< lines followed at first
};

/// Used by one thread at a time. Memory per line of the footprint: that of StackDistances, 8 … 16 bytes of counters per
/// kind, 16 with popularity.
class LineAnalysis {
 public:
  explicit LineAnalysis(LineAnalysisOptions options);

  /// One touch, made by a place (a small number), that counts `weight` times. Buffered: results are complete after
  /// flush().
  void touch(Line line, AccessKind kind, std::uint32_t weight, SiteId place) {
    if (!options_.sample.follows(line)) return;
    // Most touches are of the line touched before: distance 0 in every cache. Only a first write needs to be followed.
    if (line == last_line_ && (last_line_written_ || !writes(kind)) && line.value != no_line && !options_.popularity) {
      again_[static_cast<std::size_t>(kind)] += weight;
      if (options_.places) count_again(kind, weight, static_cast<std::uint32_t>(place.value));
      return;
    }
    last_line_written_ = writes(kind);
    last_line_ = line;
    lines_[pending_] = line;
    kinds_[pending_] = static_cast<std::uint16_t>(kind);
    weights_[pending_] = weight;
    places_[pending_] = static_cast<std::uint32_t>(place.value);
    weighted_ |= weight != 1;
    if (++pending_ == capacity) flush();
  }
  void flush();

  /// An analysis that has seen and counted the same touches and goes its own way from here. Takes time for each line
  /// followed. Precondition: flushed.
  LineAnalysis copy() const;

  /// Follows half as many lines from now on; set distances and popularity, which a sample cannot give, are dropped.
  /// Precondition: flushed.
  void halve_sample();

  /// Preconditions: flushed. With write-backs it takes time for each line followed.
  StackProfile stack(Scope scope) const;
  std::optional<SetProfile> sets(Scope scope) const;
  std::vector<PlaceDistances> places() const { return place_counts_.distances(options_.sample.scale(), count_scale_); }
  std::uint64_t followed_lines() const { return stack_.distinct_lines(); }
  const LineSample& sample() const { return options_.sample; }
  LineSize line() const { return options_.line; }
  std::uint64_t memory_bytes() const;

 private:
  static constexpr std::size_t capacity = 4096;
  static constexpr std::uint64_t no_line = ~std::uint64_t{0};

  /// Makes the engines' state that of a stream in which these lines were last touched in this order.
  void seed(const std::vector<Line>& recency_order);
  void count_again(AccessKind kind, std::uint32_t weight, std::uint32_t place) {
    if (place != again_place_ || kind != again_kind_) {
      place_counts_.add(again_place_, static_cast<std::size_t>(again_kind_), 0, again_weight_ * count_scale_);
      again_place_ = place;
      again_kind_ = kind;
      again_weight_ = 0;
    }
    again_weight_ += weight;
  }
  /// Adds the touches of the line touched before to the counts.
  void settle_again();
  SetProfile counted_sets() const;
  std::vector<Bin> counted_write_backs() const;

  LineAnalysisOptions options_;
  StackDistances stack_;
  std::array<DistanceCounts, access_kinds> counts_;
  PlaceCounts place_counts_;
  std::optional<WriteEpochs> epochs_;
  DistanceCounts ended_epochs_;  ///< by greatest distance
  std::optional<SetDistances> sets_;
  std::optional<SetProfile> earlier_sets_;  ///< what the original of a copy had counted
  boost::unordered_flat_map<std::uint64_t, std::uint64_t> popularity_;
  /// After halvings, counts are kept in units of 1/count_scale_, so that those from before keep their weight.
  std::uint64_t count_scale_ = 1;

  Line last_line_{no_line};
  bool last_line_written_ = true;  ///< since other lines were touched
  KindCounts again_{};             ///< touches of the line touched before that are not counted yet
  KindCounts set_again_{};         ///< the same for set distances, which are counted elsewhere
  std::uint32_t again_place_ = 0;
  AccessKind again_kind_ = AccessKind::read;
  std::uint64_t again_weight_ = 0;  ///< of that place and kind

  std::size_t pending_ = 0;
  bool weighted_ = false;
  std::array<Line, capacity> lines_;
  std::array<std::uint16_t, capacity> kinds_;
  std::array<std::uint32_t, capacity> weights_;
  std::array<std::uint32_t, capacity> places_;
  std::array<std::uint32_t, capacity> distances_;
};

}  // namespace cachescape::analyze
