#include "analyze/engine/line_analysis.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "analyze/engine/touches.hpp"

namespace cachescape::analyze {
namespace {

void add(SetProfile& to, const SetProfile& from) {
  for (std::size_t k = 0; k < access_kinds; ++k) {
    to.touches[k] += from.touches[k];
    for (std::size_t s = 0; s < to.counts.size(); ++s) {
      for (std::size_t d = 0; d < to.ways; ++d) to.counts[s].hits[k][d] += from.counts[s].hits[k][d];
    }
  }
}

std::vector<std::uint64_t> set_counts_of(const SetGrid& grid) {
  std::vector<std::uint64_t> sets = grid.other_set_counts;
  for (unsigned log2 = grid.min_log2_sets; log2 <= grid.max_log2_sets; ++log2) sets.push_back(std::uint64_t{1} << log2);
  std::ranges::sort(sets);
  sets.erase(std::ranges::unique(sets).begin(), sets.end());
  return sets;
}

}  // namespace

LineAnalysis::LineAnalysis(LineAnalysisOptions options) : options_(std::move(options)), plans_(options_.line) {
  if (options_.sets && options_.sample.halvings() == 0) {
    sets_.emplace(*options_.sets, 2 * access_kinds);
    known_sets_.emplace(options_.sets->max_log2_sets, options_.sets->ways);
  }
  if (options_.write_backs) epochs_.emplace();
}

void LineAnalysis::consume(std::span<const PackedAccess> accesses) {
  const LineSize size = options_.line;
  for (const PackedAccess& a : accesses) {
    const Touches touched = touches_of(a.address(), a.size(), size);
    touch(touched.first, a.kind(), 1, a.place());
    if (touched.first != touched.last) [[unlikely]] {
      for (std::uint64_t l = touched.first.value; l++ != touched.last.value;) touch(Line{l}, a.kind(), 1, a.place());
    }
  }
}

void LineAnalysis::consume(const Loop& loop) {
  if (may_plan_loops()) {
    if (PlannedLoop* const planned = plans_.find(loop); planned != nullptr) return consume(loop, *planned);
  }
  for_touches(loop, options_.line, [this](Line line, AccessKind kind, std::uint32_t weight, SiteId site) {
    touch(line, kind, weight, static_cast<std::uint32_t>(site.value));
  });
}

void LineAnalysis::flush() {
  process_pending();
  if (sets_) sets_->catch_up();
  repeated_.empty([this](const RepeatedTouch& r) { count(r); });
  plans_.for_each([this](PlannedLoop& p) {
    settle(p);
    settle_sets(p);
  });
}

void LineAnalysis::settle_again() {
  for (std::size_t k = 0; k < access_kinds; ++k) {
    if (again_[k] == 0) continue;
    counts_[k].add(0, again_[k] * count_scale_);
    // A write right after a write of the same line ends an epoch in which nothing came between.
    if (epochs_ && writes(static_cast<AccessKind>(k))) ended_epochs_.add(0, again_[k] * count_scale_);
  }
  if (known_sets_) known_sets_->add_immediate(again_, 1);
  again_ = {};
}

void LineAnalysis::process_pending() {
  settle_again();
  const std::size_t n = std::exchange(pending_, 0);
  if (n == 0) {
    if (epochs_) follow_epochs(0);
    return;
  }
  stack_.process(std::span(lines_).first(n), std::span(distances_).first(n));
  count_pending(n);
  if (epochs_) follow_epochs(n);
  if (sets_)
    sets_->add(std::span(lines_).first(n), std::span(kinds_).first(n), std::span(weights_).first(n), weighted_);
  if (options_.popularity) {
    for (std::size_t i = 0; i < n; ++i) popularity_[lines_[i].value] += weights_[i];
  }
  weighted_ = false;
}

void LineAnalysis::count_pending(std::size_t n) {
  // Far distances are spread over megabytes of counters.
  constexpr std::size_t ahead = 12;
  for (std::size_t i = 0; i < n; ++i) {
    if (i + ahead < n) counts_[kinds_[i + ahead]].prefetch(distances_[i + ahead]);
    repeated_.add(places_[i], kinds_[i], distances_[i], weights_[i], [this](const RepeatedTouch& r) { count(r); });
  }
}

void LineAnalysis::count(const RepeatedTouch& r) {
  const std::uint64_t weight = r.times * count_scale_;
  if (r.distance == cold_distance) [[unlikely]] {
    counts_[r.kind()].add_cold(weight);
    if (options_.places) place_counts_.add_cold(r.place(), r.kind() % access_kinds, weight);
  } else {
    counts_[r.kind()].add(r.distance, weight);
    if (options_.places) place_counts_.add(r.place(), r.kind() % access_kinds, r.distance, weight);
  }
}

void LineAnalysis::follow_epochs(std::size_t n) {
  constexpr std::size_t ahead = 16;
  std::size_t event = 0;
  const auto follow_events = [&](std::size_t before) {
    for (; event < epoch_events_.size() && epoch_events_[event].before <= before; ++event) {
      const EpochEvent& e = epoch_events_[event];
      const std::uint32_t greatest = epochs_->touch(e.line, e.distance, e.writes);
      if (greatest != WriteEpochs::no_epoch) ended_epochs_.add(greatest, count_scale_);
    }
  };
  for (std::size_t i = 0; i < n; ++i) {
    follow_events(i);
    if (i + ahead < n) epochs_->prefetch(lines_[i + ahead]);
    if (weights_[i] == 0) continue;
    const std::uint32_t greatest =
        epochs_->touch(lines_[i], distances_[i], writes(static_cast<AccessKind>(kinds_[i] % access_kinds)));
    if (greatest != WriteEpochs::no_epoch) ended_epochs_.add(greatest, weights_[i] * count_scale_);
  }
  follow_events(n);
  epoch_events_.clear();
}

void LineAnalysis::seed(const std::vector<Line>& recency_order) {
  for (std::size_t from = 0; from < recency_order.size(); from += capacity) {
    const auto part = std::span(recency_order).subspan(from, std::min(capacity, recency_order.size() - from));
    stack_.process(part, std::span(distances_).first(part.size()));
    if (sets_) sets_->seed(part);
  }
}

LineAnalysis LineAnalysis::copy() const {
  LineAnalysis other(options_);
  if (!sets_) {
    other.sets_.reset();
    other.known_sets_.reset();
  }
  other.seed(stack_.recency_order([](Line) { return true; }));
  other.counts_ = counts_;
  other.options_.places = false;
  if (epochs_) other.epochs_ = epochs_->copy([](Line) { return true; }, 1);
  other.ended_epochs_ = ended_epochs_;
  if (sets_) other.earlier_sets_ = counted_sets();
  other.popularity_ = popularity_;
  other.count_scale_ = count_scale_;
  return other;
}

void LineAnalysis::halve_sample() {
  options_.sample = options_.sample.halved();
  count_scale_ *= 2;
  for (DistanceCounts& c : counts_) c.halve_resolution();
  place_counts_.halve_resolution();
  if (epochs_) {
    ended_epochs_.halve_resolution();
    epochs_ = epochs_->copy([this](Line line) { return options_.sample.follows(line); }, 2);
  }
  // What a sample of lines cannot give: the lines of a set, and every line's touches.
  options_.sets.reset();
  sets_.reset();
  known_sets_.reset();
  earlier_sets_.reset();
  options_.popularity = false;
  popularity_ = {};
  const auto survivors = stack_.recency_order([&](Line line) { return options_.sample.follows(line); });
  stack_ = StackDistances();
  seed(survivors);
}

StackProfile LineAnalysis::stack(Scope scope) const {
  StackProfile profile = so_far();
  if (epochs_) profile.write_backs = counted_write_backs();
  profile.scope = scope;
  return profile;
}

StackProfile LineAnalysis::so_far() const {
  StackProfile profile;
  profile.line = options_.line;
  for (std::size_t k = 0; k < access_kinds; ++k)
    profile.kinds[k] = counts_[k].histogram(options_.sample.scale(), count_scale_);
  if (touchers_ != nullptr) {
    for (std::size_t k = 0; k < access_kinds; ++k) {
      profile.foreign[k] = counts_[access_kinds + k].histogram(options_.sample.scale(), count_scale_);
      profile.kinds[k].bins = sum_of(profile.kinds[k].bins, profile.foreign[k].bins);
      profile.kinds[k].cold += profile.foreign[k].cold;
    }
  }
  profile.footprint_lines = stack_.distinct_lines();
  if (options_.popularity) {
    boost::unordered_flat_map<std::uint64_t, std::uint64_t> lines_by_touches;
    for (const auto& [line, touches] : popularity_) ++lines_by_touches[touches];
    for (const auto& [touches, lines] : lines_by_touches) profile.popularity.push_back({touches, lines});
    std::ranges::sort(profile.popularity, {}, &Bin::value);
  }
  if (epochs_) profile.write_backs = ended_epochs_.histogram(options_.sample.scale(), count_scale_).bins;
  return profile;
}

std::vector<CacheGroup::Known> LineAnalysis::known_lines() const {
  std::vector<CacheGroup::Known> known;
  for (const Line line : stack_.recency_order([](Line) { return true; }))
    known.push_back({line, 0, epochs_ ? epochs_->greatest(line) : WriteEpochs::no_epoch});
  return known;
}

std::vector<Bin> LineAnalysis::counted_write_backs() const {
  DistanceCounts all = ended_epochs_;
  if (epochs_->open() > 0) {
    epochs_->for_each_open(stack_.recency_order([](Line) { return true; }),
                           [&](std::uint32_t greatest) { all.add(greatest, count_scale_); });
  }
  return all.histogram(options_.sample.scale(), count_scale_).bins;
}

SetProfile LineAnalysis::counted_sets() const {
  const SetDistances& followed = sets_->sets();
  SetProfile profile;
  profile.line = options_.line;
  profile.ways = followed.grid().ways;
  for (std::size_t k = 0; k < access_kinds; ++k) {
    profile.touches[k] = followed.touches(static_cast<std::uint16_t>(k)) +
                         followed.touches(static_cast<std::uint16_t>(access_kinds + k));
  }
  for (const std::uint64_t sets : set_counts_of(followed.grid())) {
    SetCounts& counts = profile.counts.emplace_back();
    counts.sets = sets;
    for (std::size_t k = 0; k < access_kinds; ++k) {
      counts.hits[k] = followed.histogram(sets, static_cast<std::uint16_t>(k));
      counts.hits[k].pop_back();  // the rest: farther or cold
      if (touchers_ == nullptr) continue;
      counts.foreign[k] = followed.histogram(sets, static_cast<std::uint16_t>(access_kinds + k));
      counts.foreign[k].pop_back();
      for (std::size_t d = 0; d < counts.hits[k].size(); ++d) counts.hits[k][d] += counts.foreign[k][d];
      if (std::ranges::all_of(counts.foreign[k], [](std::uint64_t n) { return n == 0; })) counts.foreign[k].clear();
    }
  }
  known_sets_->add_to(profile);
  if (earlier_sets_) add(profile, *earlier_sets_);
  return profile;
}

std::optional<SetProfile> LineAnalysis::sets(Scope scope) const {
  if (!sets_) return std::nullopt;
  SetProfile profile = counted_sets();
  profile.scope = scope;
  return profile;
}

std::uint64_t LineAnalysis::memory_bytes() const {
  std::uint64_t bytes = sizeof *this + stack_.memory_bytes() + popularity_.bucket_count() * 2 * sizeof(std::uint64_t) +
                        place_counts_.memory_bytes() + plans_.memory_bytes();
  for (const DistanceCounts& c : counts_) bytes += c.memory_bytes();
  if (epochs_) bytes += epochs_->memory_bytes() + ended_epochs_.memory_bytes();
  return bytes + (sets_ ? sets_->memory_bytes() : 0);
}

}  // namespace cachescape::analyze
