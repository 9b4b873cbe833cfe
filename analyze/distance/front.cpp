#include "analyze/distance/front.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

namespace cachescape::analyze {

Front::Front(const Options& options)
    : kernels_(use_avx2(options.path) ? avx2_front() : portable_front()),
      far_(std::make_unique<FarTouches>()),
      events_(options.epochs ? std::make_unique<EpochEvent[]>(most_events) : nullptr),
      patterns_(options.sets ? FrontState::pattern_slots : 0),
      set_counts_(options.sets ? std::make_unique<std::array<SetCounts, FrontState::groups>>() : nullptr),
      rows_(FrontState::rows_per_place * lines) {
  state_.follows_sets = options.sets;
  state_.follows_epochs = options.epochs;
  state_.first_level = options.first_level;
  state_.max_level = options.max_level;
  state_.enough_events = events_at_rest;
  state_.place_mask = options.places ? ~std::uint32_t{0} : 0;
}

// State points to what this object owns, and objects move.
void Front::prepare(std::uint32_t place) {
  if (std::size_t{place & state_.place_mask} * FrontState::rows_per_place * lines >= rows_.size())
    rows_.resize(std::max((std::size_t{place} + 1) * FrontState::rows_per_place * lines, 2 * rows_.size()));
  state_.rows = rows_.data();
  state_.places = rows_.size() / (FrontState::rows_per_place * lines);
  state_.patterns = patterns_.data();
  state_.settle = &settle_pattern;
  state_.set_counts = set_counts_.get();
  state_.far = far_.get();
  state_.events = events_.get();
}

std::size_t Front::take(std::span<const PackedAccess> accesses, LineSize size) {
  std::size_t taken = 0;
  while (taken < accesses.size() && !full()) {
    prepare(accesses[taken].place());
    const std::size_t now = kernels_.accesses(state_, accesses.data() + taken, accesses.size() - taken, size.log2());
    if (now == 0) break;
    taken += now;
  }
  return taken;
}

std::size_t Front::take(const TouchColumns& touches, std::size_t count) {
  std::size_t taken = 0;
  while (taken < count && !full()) {
    prepare(touches.place[taken]);
    taken += kernels_.touches(
        state_, {touches.line + taken, touches.group + taken, touches.weight + taken, touches.place + taken},
        count - taken);
  }
  return taken;
}

void Front::clear_far() {
  far_->count = 0;
  far_->weighted = false;
  state_.event_count = 0;
}

void Front::take_far(std::unique_ptr<FarTouches>& touches, std::vector<EpochEvent>& events) {
  events.assign(events_.get(), events_.get() + state_.event_count);
  far_.swap(touches);
  clear_far();
}

void Front::end_stays() {
  if (!state_.follows_epochs) return;
  for (unsigned lane = 0; lane < lines; ++lane) {
    if (state_.greatest[lane] != 0)
      events_[state_.event_count++] = {far_->count, Line{state_.line[lane]}, state_.greatest[lane], 1, false};
    state_.greatest[lane] = 0;
    state_.written[lane] = false;
  }
}

std::array<std::uint8_t, Front::lines> Front::lanes() const {
  std::array<std::uint8_t, lines> order;
  std::reverse_copy(state_.order, state_.order + lines, order.begin());
  return order;
}

bool Front::as_entered() const { return state_.touched == state_.entered; }

void Front::replace(std::span<const Line> with) {
  for (unsigned lane = 0; lane < lines; ++lane) {
    state_.line[lane] = with[lane].value;
    state_.low[lane] = static_cast<std::uint32_t>(with[lane].value);
    state_.order[lines - 1 - lane] = static_cast<std::uint8_t>(lane);
    state_.touched.raise(lane);
    state_.entered.raise(lane);
  }
  if (state_.follows_sets) kernels_.relate(state_);
}

std::vector<Line> Front::recency_order() const {
  std::vector<Line> order;
  for (unsigned i = lines; i-- > 0;)
    if (const unsigned lane = state_.order[i]; (state_.occupied >> lane & 1) != 0)
      order.emplace_back(state_.line[lane]);
  return order;
}

// The agreements, sorted, tell the distances of all levels: at level k it is at least d iff the d-th largest covers
// more than k levels.
void Front::settle_pattern(FrontState& state, const FrontState::Pattern& pattern) {
  if (pattern.times == 0) return;
  constexpr std::uint64_t group_bits = ~std::uint64_t{0} << FrontState::pattern_group_shift;
  const std::size_t group = pattern.key >> FrontState::pattern_group_shift;
  std::array<std::uint8_t, lines> agreed{};
  unsigned distance = 0;
  for (std::uint64_t rest = pattern.key & ~group_bits; rest != 0; rest >>= 8, ++distance) {
    const auto levels = static_cast<std::uint8_t>(rest);
    unsigned at = distance;
    for (; at > 0 && agreed[at - 1] < levels; --at) agreed[at] = agreed[at - 1];
    agreed[at] = levels;
  }
  state.near[group][distance] += pattern.times;
  SetCounts& counts = (*static_cast<std::array<SetCounts, FrontState::groups>*>(state.set_counts))[group];
  counts.touches += pattern.times;
  for (unsigned d = 0; d < distance; ++d) counts.agreed[d][agreed[d]] += pattern.times;
}

void Front::settle() {
  prepare(0);
  for (FrontState::Pattern& p : patterns_) {
    settle_pattern(state_, p);
    p.times = 0;
  }
}

void Front::add_set_distances(unsigned level, std::size_t group, std::span<std::uint64_t> counts) const {
  std::uint64_t at_least = near_touches(group);
  for (unsigned d = 0; d < lines; ++d) {
    std::uint64_t beyond = 0;
    if (d + 1 < lines) {
      const auto& row = (*set_counts_)[group].agreed[d];
      beyond = std::reduce(row.begin() + level + 1, row.end());
    }
    counts[d] += at_least - beyond;
    at_least = beyond;
  }
}

std::uint64_t Front::memory_bytes() const {
  return sizeof *this + sizeof *far_ + (events_ ? most_events * sizeof(EpochEvent) : 0) +
         patterns_.capacity() * sizeof(FrontState::Pattern) + (set_counts_ ? sizeof *set_counts_ : 0) +
         rows_.capacity() * sizeof(std::uint64_t);
}

}  // namespace cachescape::analyze
