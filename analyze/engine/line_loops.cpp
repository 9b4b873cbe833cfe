// Loops of known shape: the engines see the touches that matter, the rest is counted by the plan.
#include <algorithm>
#include <bit>

#include <boost/container/small_vector.hpp>

#include "analyze/engine/line_analysis.hpp"
#include "analyze/engine/touches.hpp"

namespace cachescape::analyze {
namespace {

std::uint32_t place_of(const StridedAccess& a) { return static_cast<std::uint32_t>(a.site.value); }

/// How much of a loop to take at once: some dozens of lines of each array, which a cache holds, and which are seldom
/// those of another array.
std::uint64_t trips_at_once(const Loop& loop, LineSize size) {
  constexpr std::uint64_t lines = 64;
  const std::int64_t step = loop.body[0].step;
  const std::uint64_t stride = step < 0 ? 0 - static_cast<std::uint64_t>(step) : static_cast<std::uint64_t>(step);
  const std::uint64_t trips = stride == 0 ? loop.trips : lines * size.bytes().value / stride;
  return std::max(trips / LoopPlan::trips_per_pattern, std::uint64_t{1}) * LoopPlan::trips_per_pattern;
}

}  // namespace

void LineAnalysis::consume(const Loop& loop) {
  if (!may_plan_loops()) return expand(loop);
  const std::uint64_t enough = trips_at_once(loop, options_.line);
  std::uint64_t first = 0;
  for (; loop.trips - first > enough + enough / 2; first += enough) consume_piece(loop, first, enough);
  consume_piece(loop, first, loop.trips - first);
}

void LineAnalysis::consume_piece(const Loop& loop, std::uint64_t first, std::uint64_t trips) {
  if (trips == loop.trips) return consume_whole(loop);
  boost::container::small_vector<StridedAccess, 8> body(loop.body.begin(), loop.body.end());
  for (StridedAccess& a : body) a.base = a.at(first);
  consume_whole({trips, body});
}

void LineAnalysis::consume_whole(const Loop& loop) {
  PlannedLoop* const planned = plans_.find(loop);
  if (planned == nullptr) return expand(loop);
  const Sweepable how = sweepable(*planned);
  if (how == Sweepable::in_pieces && loop.trips >= 2 * LoopPlan::trips_per_pattern) {
    const std::uint64_t half = loop.trips / 2 / LoopPlan::trips_per_pattern * LoopPlan::trips_per_pattern;
    consume_piece(loop, 0, half);
    return consume_piece(loop, half, loop.trips - half);
  }
  note(loop, *planned);
  if (how == Sweepable::yes && sweep(loop, *planned)) return;
  for_parts(*planned, [&](const LoopPlan::Part& part, std::int64_t lines_on) { keep(part, loop, lines_on); });
}

void LineAnalysis::expand(const Loop& loop) {
  for_touches(loop, options_.line, [this](Line line, AccessKind kind, std::uint32_t weight, SiteId site) {
    touch(line, kind, weight, static_cast<std::uint32_t>(site.value));
  });
}

void LineAnalysis::note(const Loop& loop, PlannedLoop& planned) {
  const auto is_place = [](std::uint32_t place, const StridedAccess& a) { return place == place_of(a); };
  if (!std::ranges::equal(planned.places, loop.body, is_place)) {
    settle(planned);
    planned.places.clear();
    for (const StridedAccess& a : loop.body) planned.places.push_back(place_of(a));
  }
  if (sets_ && !shares_sets_as_before(planned)) {
    settle_sets(planned);
    planned.shared = shared_;
  }
  const std::uint64_t periods = plans_.loop().periods;
  planned.loops += 1;
  planned.periods += periods;
  planned.set_loops += 1;
  planned.set_periods += periods;
}

void LineAnalysis::keep(const LoopPlan::Part& part, const Loop& loop, std::int64_t lines_on) {
  std::size_t epoch = 0;
  const auto follow_epochs_until = [&](std::size_t kept) {
    for (; epoch < part.epochs.size() && part.epochs[epoch].after <= kept; ++epoch) {
      const LoopPlan::Epoch& e = part.epochs[epoch];
      put(line_at(e.where, lines_on), e.writes ? epoch_of_write : epoch_of_read, e.distance, 0);
    }
  };
  for (std::size_t i = 0; i < part.kept.size(); ++i) {
    if (options_.write_backs) follow_epochs_until(i);
    const LoopPlan::Kept& k = part.kept[i];
    const StridedAccess& a = loop.body[k.slot];
    push(line_at(k.where, lines_on), a.kind, k.counted ? 1 : 0, place_of(a));
  }
  if (options_.write_backs) follow_epochs_until(part.kept.size());
}

bool LineAnalysis::shares_sets_as_before(PlannedLoop& planned) {
  const std::vector<std::uint64_t>& first_lines = plans_.loop().first_lines;
  shared_.clear();
  for (const LoopPlan::Part* part : {&planned.plan.before(), &planned.plan.period(), &planned.plan.after()}) {
    for (const LoopPlan::Crossed& c : part->crossed) {
      for (const LoopPlan::Where& w : c.others) {
        const std::uint64_t apart =
            first_lines[w.cluster] - first_lines[c.cluster] + static_cast<std::uint64_t>(std::int64_t{w.line});
        shared_.push_back(static_cast<std::uint8_t>(std::countr_zero(apart)));
      }
    }
  }
  return shared_ == planned.shared;
}

void LineAnalysis::settle(const LoopPlan::Part& part, std::uint64_t times, const PlannedLoop& planned,
                          FarAnalysis& far) const {
  for (const LoopPlan::Known& k : part.known) {
    const auto kind = static_cast<std::size_t>(planned.shape.slots[k.slot].kind);
    far.add(kind, k.distance, k.times * times);
    far.add_by_place(planned.places[k.slot], kind, k.distance, k.times * times);
  }
  if (options_.write_backs)
    for (const LoopPlan::Known& k : part.ended_epochs) far.add_ended_epochs(k.distance, k.times * times);
}

void LineAnalysis::settle(PlannedLoop& planned) {
  if (planned.loops == 0) return;
  FarAnalysis& far = far_.followed();
  settle(planned.plan.before(), planned.loops, planned, far);
  settle(planned.plan.period(), planned.periods, planned, far);
  settle(planned.plan.after(), planned.loops, planned, far);
  planned.loops = 0;
  planned.periods = 0;
}

void LineAnalysis::settle_sets(PlannedLoop& planned) {
  if (known_sets_ && planned.set_loops > 0) {
    const std::uint8_t* shared = planned.shared.data();
    const auto count = [&](const LoopPlan::Part& part, std::uint64_t times) {
      known_sets_->add_immediate(part.immediate, times);
      for (const LoopPlan::Crossed& c : part.crossed) {
        known_sets_->add(c.kind, {shared, c.others.size()}, c.times * times);
        shared += c.others.size();
      }
    };
    count(planned.plan.before(), planned.set_loops);
    count(planned.plan.period(), planned.set_periods);
    count(planned.plan.after(), planned.set_loops);
  }
  planned.set_loops = 0;
  planned.set_periods = 0;
}

}  // namespace cachescape::analyze
