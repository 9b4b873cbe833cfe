#include "analyze/engine/far_analysis.hpp"

#include "cachescape/access.hpp"

namespace cachescape::analyze {

FarAnalysis::FarAnalysis(const Options& options) : options_(options) {
  if (options.write_backs) epochs_.emplace();
}

void FarAnalysis::follow(const FarTouches& far, std::span<const EpochEvent> events) {
  stack_.enter(far, distances_);
  count_far(far);
  if (epochs_) follow_epochs(far, events);
}

void FarAnalysis::count_far(const FarTouches& far) {
  // Far distances are spread over megabytes of counters.
  constexpr std::size_t ahead = 12;
  for (std::size_t i = 0; i < far.count; ++i) {
    if (i + ahead < far.count) counts_[far.group[i + ahead]].prefetch(distances_[i + ahead]);
    count(far.place[i], far.group[i], distances_[i], far.weight[i]);
  }
}

void FarAnalysis::follow_epochs(const FarTouches& far, std::span<const EpochEvent> events) {
  constexpr std::size_t ahead = 16;
  std::size_t event = 0;
  const auto follow_events = [&](std::size_t before) {
    for (; event < events.size() && events[event].before <= before; ++event) {
      const EpochEvent& e = events[event];
      follow_epoch(e.line, e.distance, e.writes, e.weight);
    }
  };
  for (std::size_t i = 0; i < far.count; ++i) {
    follow_events(i);
    if (i + ahead < far.count) epochs_->prefetch(far.line[i + ahead]);
    if (far.weight[i] == 0) continue;
    follow_epoch(far.line[i], distances_[i], writes(static_cast<AccessKind>(far.group[i] % access_kinds)),
                 far.weight[i]);
  }
  follow_events(far.count);
}

void FarAnalysis::count_on_from(const FarAnalysis& other) {
  counts_ = other.counts_;
  if (epochs_) epochs_ = other.epochs_->copy([](Line) { return true; }, 1);
  ended_epochs_ = other.ended_epochs_;
  count_scale_ = other.count_scale_;
}

void FarAnalysis::halve(const std::function<bool(Line)>& follows) {
  count_scale_ *= 2;
  for (DistanceCounts& c : counts_) c.halve_resolution();
  place_counts_.halve_resolution();
  if (epochs_) {
    ended_epochs_.halve_resolution();
    epochs_ = epochs_->copy(follows, 2);
  }
  stack_ = FarStack();
}

std::vector<Bin> FarAnalysis::all_epochs(std::uint64_t unit,
                                         const std::function<std::vector<Line>()>& recency_order) const {
  DistanceCounts all = ended_epochs_;
  if (epochs_->open() > 0)
    epochs_->for_each_open(recency_order(), [&](std::uint32_t greatest) { all.add(greatest, count_scale_); });
  return all.histogram(unit, count_scale_).bins;
}

std::vector<CacheGroup::Known> FarAnalysis::known(std::span<const Line> lines) const {
  std::vector<CacheGroup::Known> known;
  for (const Line line : lines) known.push_back({line, 0, epochs_ ? epochs_->greatest(line) : WriteEpochs::no_epoch});
  return known;
}

std::uint64_t FarAnalysis::memory_bytes() const {
  std::uint64_t bytes = stack_.memory_bytes() + place_counts_.memory_bytes();
  for (const DistanceCounts& c : counts_) bytes += c.memory_bytes();
  if (epochs_) bytes += epochs_->memory_bytes() + ended_epochs_.memory_bytes();
  return bytes;
}

}  // namespace cachescape::analyze
