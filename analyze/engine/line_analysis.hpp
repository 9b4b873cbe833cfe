// Everything that is analysed of one stream of touches at one line size.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "analyze/coherence/cache_group.hpp"
#include "analyze/distance/front.hpp"
#include "analyze/distance/last_toucher.hpp"
#include "analyze/distance/other_sets.hpp"
#include "analyze/engine/far_follower.hpp"
#include "analyze/engine/known_sets.hpp"
#include "analyze/engine/line_sample.hpp"
#include "analyze/engine/loop_plans.hpp"
#include "analyze/engine/set_follower.hpp"
#include "analyze/engine/stretch.hpp"
#include "analyze/engine/sweep.hpp"
#include "cachescape/profile.hpp"

namespace cachescape::analyze {

struct LineAnalysisOptions {
  LineSize line{6};
  std::optional<SetGrid> sets;  ///< set distances
  bool popularity = false;      ///< how often each line is touched; a hash table entry per line
  bool write_backs = false;     ///< what write-back caches write back; 4 bytes and more per line ever written
  bool places = false;          ///< distances by place too
  LineSample sample;            ///< lines followed at first
};

/// Used by one thread at a time. Memory per line of the footprint: that of FarStack, 8 … 16 bytes of counters per
/// kind, 16 with popularity.
class LineAnalysis {
 public:
  explicit LineAnalysis(LineAnalysisOptions options);

  /// Accesses and loops in their order; their places are small numbers. Buffered: results are complete after flush().
  void consume(std::span<const PackedAccess> accesses);
  void consume(const Loop& loop);
  void flush();
  /// From now on tells touches of lines that another thread touched last from the others; `touchers` is told of all.
  void follow_touchers(LastToucher& touchers) { touchers_ = &touchers; }
  /// What comes next belongs to this piece of the work, and is by this thread; others may have touched lines since.
  void next(std::uint64_t piece, std::uint32_t thread) {
    far_.begin(piece);
    if (sets_) sets_->begin(piece);
    thread_ = thread;
    last_touched_.reset();
  }

  /// consume() adds to it, if it is to be followed later; flush() follows what nobody has followed.
  FarFollower& far_follower() { return far_; }
  /// Whether far touches are left for whoever follows them, or followed at once, as they are at first.
  void leave_far(bool leave) {
    far_.followed();
    leaves_far_ = leave;
  }
  /// Null without set distances. consume() adds to it; flush() follows what nobody has followed.
  SetFollower* set_follower() { return sets_ ? &*sets_ : nullptr; }

  /// An analysis that has seen and counted the same touches and goes its own way from here. Takes time for each line
  /// followed. Precondition: flushed.
  LineAnalysis copy() const;

  /// Follows half as many lines from now on; set distances and popularity, which a sample cannot give, are dropped.
  /// Precondition: flushed.
  void halve_sample();

  /// Preconditions: flushed. With write-backs it takes time for each line followed.
  StackProfile stack(Scope scope) const;
  std::optional<SetProfile> sets(Scope scope) const;
  /// As stack(), without the write-backs of data that are still held.
  StackProfile so_far() const;
  /// The lines touched, from the least to the most recent, and how far those that are written have been; none is where
  /// write-backs are not followed. Precondition: flushed.
  std::vector<CacheGroup::Known> known_lines() const;
  std::vector<PlaceDistances> places() const { return far_.analysis().by_place(options_.sample.scale()); }
  std::uint64_t followed_lines() const { return stack().distinct_lines(); }
  const LineSample& sample() const { return options_.sample; }
  LineSize line() const { return options_.line; }
  std::uint64_t memory_bytes() const;

 private:
  static constexpr std::size_t capacity = 4096;

  /// One touch, made by a place, that counts `weight` times.
  void touch(Line line, AccessKind kind, std::uint32_t weight, std::uint32_t place) {
    if (!options_.sample.follows(line)) return;
    if (options_.popularity) popularity_[line.value] += weight;
    push(line, kind, weight, place);
  }
  void push(Line line, AccessKind kind, std::uint32_t weight, std::uint32_t place) {
    // Most touches are of the line touched before, which is nobody else's now.
    bool foreign = false;
    if (touchers_ != nullptr && last_touched_ != line) {
      foreign = touchers_->touch(line, thread_);
      last_touched_ = line;
    }
    put(line, static_cast<std::uint16_t>(static_cast<std::size_t>(kind) + (foreign ? access_kinds : 0)), weight, place);
  }
  void put(Line line, std::uint16_t group, std::uint32_t weight, std::uint32_t place) {
    lines_[pending_] = line;
    groups_[pending_] = group;
    weights_[pending_] = weight;
    places_[pending_] = place;
    if (++pending_ == capacity) take_pending();
  }
  /// Whether accesses can go to the front as they are: nobody has to see every touch.
  bool only_the_front_looks() const {
    return touchers_ == nullptr && options_.sample.halvings() == 0 && !options_.popularity && !others_;
  }
  void take_pending();
  /// The front's far touches go on to whoever follows them …
  void hand_on_far();
  /// … or are followed at once, after all that came before.
  FarAnalysis& follow_far();
  Front new_front() const;
  const FarStack& stack() const { return far_.analysis().stack(); }
  std::vector<Line> recency_order(const std::function<bool(Line)>& keep) const;

  bool may_plan_loops() const { return !options_.popularity && options_.sample.halvings() == 0 && !others_; }
  void consume_piece(const Loop& loop, std::uint64_t first, std::uint64_t trips);
  void consume_whole(const Loop& loop);
  void expand(const Loop& loop);
  /// Notes an execution of the loop that was found last, for settle().
  void note(const Loop& loop, PlannedLoop& planned);
  void keep(const LoopPlan::Part& part, const Loop& loop, std::int64_t lines_on);
  /// Calls visit(part, lines on) for all parts of the loop that was found last.
  template <class Visit>
  void for_parts(const PlannedLoop& planned, Visit visit) const {
    visit(planned.plan.before(), std::int64_t{0});
    std::int64_t lines_on = 0;
    for (std::uint64_t p = 0; p < plans_.loop().periods; ++p, lines_on += planned.shape.advance)
      visit(planned.plan.period(), lines_on);
    visit(planned.plan.after(), lines_on - planned.shape.advance);
  }
  /// As for_parts(), with all periods at once: visit(part, lines on, times).
  template <class Visit>
  void for_repeated_parts(const PlannedLoop& planned, Visit visit) const {
    const std::uint64_t periods = plans_.loop().periods;
    visit(planned.plan.before(), std::int64_t{0}, std::uint64_t{1});
    visit(planned.plan.period(), std::int64_t{0}, periods);
    visit(planned.plan.after(), (static_cast<std::int64_t>(periods) - 1) * planned.shape.advance, std::uint64_t{1});
  }
  Line line_at(LoopPlan::Where where, std::int64_t lines_on) const {
    return Line{plans_.loop().first_lines[where.cluster] + static_cast<std::uint64_t>(where.line + lines_on)};
  }
  enum class Sweepable { yes, in_pieces, no };
  /// Whether the lines of the loop that was found last can be taken all at once, or perhaps those of its halves.
  Sweepable sweepable(const PlannedLoop& planned);
  Reach reach_of(const PlannedLoop& planned, std::size_t cluster) const;
  /// False, with nothing changed, where they have to be followed one by one.
  bool sweep(const Loop& loop, const PlannedLoop& planned);
  void line_up(const Loop& loop, const PlannedLoop& planned);
  std::uint16_t* number_of(LoopPlan::Where where, std::int64_t lines_on) {
    const Sweep::Cluster& c = sweep_.clusters[where.cluster];
    return &sweep_.numbers[c.begin + static_cast<std::size_t>(where.line + lines_on - c.reach.lowest)];
  }
  void number_lines(LoopPlan::Where where, std::int64_t lines_on, std::int64_t advance, std::size_t first,
                    std::size_t step, std::uint64_t times);
  void count_sweep(const PlannedLoop& planned, FarAnalysis& far) const;
  void follow_epochs_of_sweep(const PlannedLoop& planned, FarAnalysis& far) const;
  void follow_sets_of_sweep(const PlannedLoop& planned);
  /// Adds executions of planned loops to the counts.
  void settle(PlannedLoop& planned);
  void settle_sets(PlannedLoop& planned);
  void settle(const LoopPlan::Part& part, std::uint64_t times, const PlannedLoop& planned, FarAnalysis& far) const;
  bool shares_sets_as_before(PlannedLoop& planned);

  /// Makes the engines' state that of a stream in which these lines were last touched in this order.
  void seed(const std::vector<Line>& recency_order);
  SetProfile counted_sets() const;
  std::vector<std::uint64_t> set_hits(std::uint64_t sets, std::size_t group) const;
  std::uint64_t fewest_walked_sets() const { return std::uint64_t{1} << sets_->sets().grid().min_log2_sets; }

  alignas(4096) LineAnalysisOptions options_;  ///< where its columns lie in a page is never left to chance (sweep.hpp)
  Front front_;
  bool leaves_far_ = false;
  FarFollower far_;                  ///< groups: by kind, then touches of lines that others touched last
  std::optional<SetFollower> sets_;  ///< but for one set, which the stack distances tell
  std::optional<OtherSets> others_;
  std::optional<KnownSets> known_sets_;     ///< of touches that sets_ does not see
  std::optional<SetProfile> earlier_sets_;  ///< what the original of a copy had counted
  boost::unordered_flat_map<std::uint64_t, std::uint64_t> popularity_;

  LastToucher* touchers_ = nullptr;
  std::uint32_t thread_ = 0;
  std::optional<Line> last_touched_;  ///< by this thread, since its turn began

  LoopPlans plans_;
  Sweep sweep_;                       ///< room for one loop's
  std::vector<std::uint8_t> shared_;  ///< room for one loop's

  std::size_t pending_ = 0;  ///< touches that the front has not seen
  std::array<Line, capacity> lines_;
  std::array<std::uint16_t, capacity> groups_;  ///< as those of far_
  std::array<std::uint32_t, capacity> weights_;
  std::array<std::uint32_t, capacity> places_;
};

}  // namespace cachescape::analyze
