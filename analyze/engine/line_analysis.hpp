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
#include "cachescape/profile.hpp"

namespace cachescape::analyze {

struct LineAnalysisOptions {
  LineSize line{6};
  std::optional<SetGrid> sets;  ///< set distances too
  bool popularity = false;      ///< how often each line is touched; a hash table entry per line
  bool write_backs = false;     ///< what write-back caches write back; 4 bytes and more per line ever written
  LineSample sample;            ///< lines followed at first
};

/// Used by one thread at a time. Memory per line of the footprint: that of StackDistances, 8 … 16 bytes of counters per
/// kind, 16 with popularity.
class LineAnalysis {
 public:
  explicit LineAnalysis(LineAnalysisOptions options);

  /// One touch that counts `weight` times. Buffered: results are complete after flush().
  void touch(Line line, AccessKind kind, std::uint32_t weight) {
    if (!options_.sample.follows(line)) return;
    lines_[pending_] = line;
    kinds_[pending_] = static_cast<std::uint16_t>(kind);
    weights_[pending_] = weight;
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
  std::uint64_t followed_lines() const { return stack_.distinct_lines(); }
  const LineSample& sample() const { return options_.sample; }
  LineSize line() const { return options_.line; }
  std::uint64_t memory_bytes() const;

 private:
  static constexpr std::size_t capacity = 4096;

  /// Makes the engines' state that of a stream in which these lines were last touched in this order.
  void seed(const std::vector<Line>& recency_order);
  SetProfile counted_sets() const;
  std::vector<Bin> counted_write_backs() const;

  LineAnalysisOptions options_;
  StackDistances stack_;
  std::array<DistanceCounts, access_kinds> counts_;
  std::optional<WriteEpochs> epochs_;
  DistanceCounts ended_epochs_;  ///< by greatest distance
  std::optional<SetDistances> sets_;
  std::optional<SetProfile> earlier_sets_;  ///< what the original of a copy had counted
  boost::unordered_flat_map<std::uint64_t, std::uint64_t> popularity_;
  /// After halvings, counts are kept in units of 1/count_scale_, so that those from before keep their weight.
  std::uint64_t count_scale_ = 1;

  std::size_t pending_ = 0;
  bool weighted_ = false;
  std::array<Line, capacity> lines_;
  std::array<std::uint16_t, capacity> kinds_;
  std::array<std::uint32_t, capacity> weights_;
  std::array<std::uint32_t, capacity> distances_;
};

}  // namespace cachescape::analyze
