#include "analyze/engine/line_analysis.hpp"

#include <algorithm>
#include <bit>
#include <span>
#include <utility>

#include "analyze/engine/touches.hpp"

namespace cachescape::analyze {
namespace {

/// To set counts from this on.
void add(SetProfile& to, const SetProfile& from, std::uint64_t fewest_sets) {
  for (std::size_t k = 0; k < access_kinds; ++k) {
    to.touches[k] += from.touches[k];
    for (std::size_t s = 0; s < to.counts.size(); ++s) {
      if (to.counts[s].sets < fewest_sets) continue;
      for (std::size_t d = 0; d < to.ways; ++d) to.counts[s].hits[k][d] += from.counts[s].hits[k][d];
    }
  }
}

/// Without one set, if there are others: its distances are the stack distances.
SetGrid walked_grid(const SetGrid& grid) {
  SetGrid walked = grid;
  walked.min_log2_sets = std::max(grid.min_log2_sets, std::min(grid.max_log2_sets, 1u));
  return walked;
}

std::vector<std::uint64_t> set_counts_of(const SetGrid& grid) {
  std::vector<std::uint64_t> sets = grid.other_set_counts;
  for (unsigned log2 = grid.min_log2_sets; log2 <= grid.max_log2_sets; ++log2) sets.push_back(std::uint64_t{1} << log2);
  std::ranges::sort(sets);
  sets.erase(std::ranges::unique(sets).begin(), sets.end());
  return sets;
}

}  // namespace

LineAnalysis::LineAnalysis(LineAnalysisOptions options)
    : options_(std::move(options)),
      front_(new_front()),
      far_({options_.write_backs, options_.places}),
      plans_(options_.line) {
  if (options_.sets && options_.sample.halvings() == 0) {
    sets_.emplace(walked_grid(*options_.sets), 2 * access_kinds);
    known_sets_.emplace(options_.sets->max_log2_sets, options_.sets->ways);
    if (!options_.sets->other_set_counts.empty())
      others_.emplace(options_.sets->other_set_counts, options_.sets->ways, 2 * access_kinds);
  }
}

Front LineAnalysis::new_front() const {
  Front::Options o;
  if (options_.sets && options_.sample.halvings() == 0) {
    const SetGrid grid = walked_grid(*options_.sets);
    o.sets = true;
    o.first_level = grid.min_log2_sets;
    o.max_level = grid.max_log2_sets;
  }
  o.epochs = options_.write_backs;
  o.places = options_.places;
  return Front(o);
}

void LineAnalysis::consume(std::span<const PackedAccess> accesses) {
  const auto touch_all = [this](const PackedAccess& a) {
    const Touches touched = touches_of(a.address(), a.size(), options_.line);
    touch(touched.first, a.kind(), 1, a.place());
    for (std::uint64_t l = touched.first.value; l++ != touched.last.value;) touch(Line{l}, a.kind(), 1, a.place());
  };
  if (!only_the_front_looks()) {
    std::ranges::for_each(accesses, touch_all);
    return;
  }
  take_pending();
  while (!accesses.empty()) {
    accesses = accesses.subspan(front_.take(accesses, options_.line));
    if (front_.full()) {
      hand_on_far();
    } else if (!accesses.empty()) {
      touch_all(accesses.front());
      take_pending();
      accesses = accesses.subspan(1);
    }
  }
}

void LineAnalysis::flush() {
  take_pending();
  follow_far();
  front_.end_stays();
  FarAnalysis& far = follow_far();
  if (sets_) sets_->catch_up();
  front_.take_near(
      [&](std::size_t group, std::uint32_t distance, std::uint64_t times) { far.add(group, distance, times); });
  if (options_.places) {
    front_.take_near_by_place([&](std::uint32_t place, std::size_t kind, std::uint32_t distance, std::uint64_t times) {
      far.add_by_place(place, kind, distance, times);
    });
  }
  front_.take_ended([&](std::uint32_t greatest, std::uint64_t times) { far.add_ended_epochs(greatest, times); });
  plans_.for_each([this](PlannedLoop& p) {
    settle(p);
    settle_sets(p);
  });
}

void LineAnalysis::take_pending() {
  const std::size_t n = std::exchange(pending_, 0);
  if (others_) others_->process(std::span(lines_).first(n), std::span(groups_).first(n), std::span(weights_).first(n));
  for (std::size_t taken = 0; taken < n;) {
    taken += front_.take({&lines_[taken], &groups_[taken], &weights_[taken], &places_[taken]}, n - taken);
    if (front_.full()) hand_on_far();
  }
}

void LineAnalysis::hand_on_far() {
  if (!leaves_far_) {
    follow_far();
    return;
  }
  if (sets_) sets_->add(entering_lines(front_.far()));
  far_.add(front_);
}

FarAnalysis& LineAnalysis::follow_far() {
  if (sets_) sets_->add(entering_lines(front_.far()));
  FarAnalysis& far = far_.followed();
  far.follow(front_.far(), front_.events());
  front_.clear_far();
  return far;
}

void LineAnalysis::seed(const std::vector<Line>& recency_order) {
  for (const Line line : recency_order) put(line, 0, 0, 0);
  take_pending();
  // They have been followed before any piece of the work comes.
  follow_far();
  if (sets_) sets_->catch_up();
}

std::vector<Line> LineAnalysis::recency_order(const std::function<bool(Line)>& keep) const {
  std::vector<Line> lines = stack().recency_order(keep);
  for (const Line line : front_.recency_order())
    if (keep(line)) lines.push_back(line);
  return lines;
}

LineAnalysis LineAnalysis::copy() const {
  LineAnalysisOptions options = options_;
  options.places = false;
  LineAnalysis other(std::move(options));
  if (!sets_) {
    other.sets_.reset();
    other.known_sets_.reset();
  }
  other.seed(recency_order([](Line) { return true; }));
  other.far_.analysis().count_on_from(far_.analysis());
  if (sets_) other.earlier_sets_ = counted_sets();
  other.popularity_ = popularity_;
  return other;
}

void LineAnalysis::halve_sample() {
  options_.sample = options_.sample.halved();
  // What a sample of lines cannot give: the lines of a set, and every line's touches.
  options_.sets.reset();
  sets_.reset();
  known_sets_.reset();
  earlier_sets_.reset();
  options_.popularity = false;
  popularity_ = {};
  others_.reset();
  const auto survivors = recency_order([&](Line line) { return options_.sample.follows(line); });
  far_.analysis().halve([this](Line line) { return options_.sample.follows(line); });
  front_ = new_front();
  seed(survivors);
}

StackProfile LineAnalysis::stack(Scope scope) const {
  StackProfile profile = so_far();
  const FarAnalysis& far = far_.analysis();
  if (far.follows_epochs()) {
    profile.write_backs =
        far.all_epochs(options_.sample.scale(), [this] { return recency_order([](Line) { return true; }); });
  }
  profile.scope = scope;
  return profile;
}

StackProfile LineAnalysis::so_far() const {
  const FarAnalysis& far = far_.analysis();
  StackProfile profile;
  profile.line = options_.line;
  for (std::size_t k = 0; k < access_kinds; ++k) profile.kinds[k] = far.histogram(k, options_.sample.scale());
  if (touchers_ != nullptr) {
    for (std::size_t k = 0; k < access_kinds; ++k) {
      profile.foreign[k] = far.histogram(access_kinds + k, options_.sample.scale());
      profile.kinds[k].bins = sum_of(profile.kinds[k].bins, profile.foreign[k].bins);
      profile.kinds[k].cold += profile.foreign[k].cold;
    }
  }
  profile.footprint_lines = stack().distinct_lines();
  if (options_.popularity) {
    boost::unordered_flat_map<std::uint64_t, std::uint64_t> lines_by_touches;
    for (const auto& [line, touches] : popularity_) ++lines_by_touches[touches];
    for (const auto& [touches, lines] : lines_by_touches) profile.popularity.push_back({touches, lines});
    std::ranges::sort(profile.popularity, {}, &Bin::value);
  }
  if (far.follows_epochs()) profile.write_backs = far.ended_epochs(options_.sample.scale());
  return profile;
}

std::vector<CacheGroup::Known> LineAnalysis::known_lines() const {
  return far_.analysis().known(recency_order([](Line) { return true; }));
}

std::vector<std::uint64_t> LineAnalysis::set_hits(std::uint64_t sets, std::size_t group) const {
  const FarSets& far = sets_->sets();
  const unsigned ways = far.grid().ways;
  std::vector<std::uint64_t> hits;
  if (const auto level = static_cast<unsigned>(std::countr_zero(sets)); sets < fewest_walked_sets()) {
    for (std::size_t d = 0; d < ways; ++d) hits.push_back(far_.analysis().at(group, d));
  } else if (std::has_single_bit(sets) && level <= far.grid().max_log2_sets) {
    hits = far.hits(level, group);
    front_.add_set_distances(level, group, hits);
  } else {
    hits = others_->hits(sets, group);
  }
  hits.resize(ways);
  return hits;
}

SetProfile LineAnalysis::counted_sets() const {
  SetProfile profile;
  profile.line = options_.line;
  profile.ways = options_.sets->ways;
  for (std::size_t g = 0; g < 2 * access_kinds; ++g)
    profile.touches[g % access_kinds] += sets_->sets().touches(g) + front_.near_touches(g);
  for (const std::uint64_t sets : set_counts_of(*options_.sets)) {
    SetCounts& counts = profile.counts.emplace_back();
    counts.sets = sets;
    for (std::size_t k = 0; k < access_kinds; ++k) {
      counts.hits[k] = set_hits(sets, k);
      if (touchers_ == nullptr) continue;
      counts.foreign[k] = set_hits(sets, access_kinds + k);
      for (std::size_t d = 0; d < counts.hits[k].size(); ++d) counts.hits[k][d] += counts.foreign[k][d];
      if (std::ranges::all_of(counts.foreign[k], [](std::uint64_t n) { return n == 0; })) counts.foreign[k].clear();
    }
  }
  known_sets_->add_to(profile, fewest_walked_sets());
  if (earlier_sets_) add(profile, *earlier_sets_, fewest_walked_sets());
  return profile;
}

std::optional<SetProfile> LineAnalysis::sets(Scope scope) const {
  if (!sets_) return std::nullopt;
  SetProfile profile = counted_sets();
  profile.scope = scope;
  return profile;
}

std::uint64_t LineAnalysis::memory_bytes() const {
  return sizeof *this + front_.memory_bytes() + far_.memory_bytes() +
         popularity_.bucket_count() * 2 * sizeof(std::uint64_t) + plans_.memory_bytes() +
         (sets_ ? sets_->memory_bytes() : 0) + (others_ ? others_->memory_bytes() : 0);
}

}  // namespace cachescape::analyze
