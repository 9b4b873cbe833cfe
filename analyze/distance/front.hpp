// The eight lines touched last, in front of everything that follows touches.
//
// A touch of a line that is among them is *near*: how many others were touched since, and how many of those fall into
// its set for every power-of-two number of sets, follows from the eight lines alone. All others are *far* touches; each
// takes the lane of the line that was touched longest ago, which leaves. FarStack and FarSets follow far touches only.
// Most touches of most programs are near, and cost some nanoseconds here and nothing elsewhere.
//
// docs/design/front.md says why that is exact. The naive twins are those of the distances: mattson_list.hpp,
// set_distance_naive.hpp, write_epochs_naive.hpp.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "analyze/distance/front_state.hpp"
#include "analyze/distance/instruction_set.hpp"
#include "cachescape/line.hpp"

namespace cachescape::analyze {

/// Used by one thread at a time. Memory: 0.4 MiB, and 192 bytes per place.
class Front {
 public:
  static constexpr unsigned lines = FrontState::lanes;

  struct Options {
    bool sets = false;         ///< prepare set distances
    unsigned first_level = 0;  ///< log2 of the set counts to be known, from …
    unsigned max_level = 0;    ///< … to
    bool epochs = false;       ///< follow what is written back
    bool places = false;       ///< count near touches by place too
    InstructionSet path = InstructionSet::automatic;
  };

  explicit Front(const Options& options);

  /// Takes accesses, or touches, and returns how many: all, or those before the first for which there is no room among
  /// the far touches or that touches more than two lines.
  std::size_t take(std::span<const PackedAccess> accesses, LineSize size);
  std::size_t take(const TouchColumns& touches, std::size_t count);

  /// What came since clear_far().
  const FarTouches& far() const { return *far_; }
  /// In their order.
  std::span<const EpochEvent> events() const { return {events_.get(), state_.event_count}; }
  bool full() const { return far_->count + 2 > FarTouches::capacity || state_.event_count >= events_at_rest; }
  void clear_far();
  /// Exchanges the far touches for others, which count for nothing, and hands on the events.
  void take_far(std::unique_ptr<FarTouches>& touches, std::vector<EpochEvent>& events);

  /// Tells what there is to tell of the epochs of the lines that are here. Precondition: !full().
  void end_stays();

  /// Whether there is a line in every lane.
  bool whole() const { return state_.occupied == (1u << lines) - 1; }
  /// From the least to the most recently touched.
  std::array<std::uint8_t, lines> lanes() const;
  /// Whether lines entered in the order of their last touches.
  bool as_entered() const;
  /// Lines have passed, of which these came last and are here now, one in each lane, in this order. Precondition:
  /// whole(); end_stays() was called since the last touch, where epochs are followed.
  void replace(std::span<const Line> with);

  /// From the least to the most recently touched.
  std::vector<Line> recency_order() const;

  /// Calls visit(group, distance, times) for the near touches since the last call, and settles them.
  template <class Visit>
  void take_near(Visit visit) {
    settle();
    for (std::size_t g = 0; g < FrontState::groups; ++g)
      for (std::uint32_t d = 0; d < lines; ++d)
        if (const std::uint64_t n = std::exchange(state_.near[g][d], 0); n != 0) visit(g, d, n);
  }
  /// Calls visit(place, kind, distance, times) for them, where places are told apart.
  template <class Visit>
  void take_near_by_place(Visit visit) {
    for (std::size_t at = 0; at < rows_.size(); ++at) {
      const std::size_t row = at / lines;
      if (const std::uint64_t n = std::exchange(rows_[at], 0); n != 0)
        visit(static_cast<std::uint32_t>(row / FrontState::rows_per_place), row % FrontState::rows_per_place,
              static_cast<std::uint32_t>(at % lines), n);
    }
  }
  /// Calls visit(greatest distance, times) for the epochs that ended here since the last call.
  template <class Visit>
  void take_ended(Visit visit) {
    for (std::uint32_t d = 0; d < lines; ++d)
      if (const std::uint64_t n = std::exchange(state_.ended[d], 0); n != 0) visit(d, n);
  }

  /// Near touches of a group so far, and their set distances: adds to counts[d]. Preconditions: settled since the last
  /// take(); at least `lines` counts.
  std::uint64_t near_touches(std::size_t group) const { return (*set_counts_)[group].touches; }
  void add_set_distances(unsigned level, std::size_t group, std::span<std::uint64_t> counts) const;
  /// Counts what is kept at hand.
  void settle();

  std::uint64_t memory_bytes() const;

 private:
  static constexpr std::size_t levels = 32;
  /// Far touches add three each at most, and the lanes' own one.
  static constexpr std::size_t events_at_rest = 4096;
  static constexpr std::size_t most_events = events_at_rest + 3 * FarTouches::capacity + lines + 2;

  /// agreed[d − 1][n]: near touches whose d-th largest agreement with a line touched since covers n levels.
  struct SetCounts {
    std::uint64_t touches = 0;
    std::array<std::array<std::uint64_t, levels>, lines - 1> agreed{};
  };

  void prepare(std::uint32_t place);
  static void settle_pattern(FrontState& state, const FrontState::Pattern& pattern);

  FrontKernels kernels_;
  FrontState state_;
  std::unique_ptr<FarTouches> far_;
  std::unique_ptr<EpochEvent[]> events_;
  std::vector<FrontState::Pattern> patterns_;
  std::unique_ptr<std::array<SetCounts, FrontState::groups>> set_counts_;
  std::vector<std::uint64_t> rows_;
};

}  // namespace cachescape::analyze
