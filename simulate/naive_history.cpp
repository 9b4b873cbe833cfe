#include "simulate/naive_history.hpp"

#include <algorithm>

namespace cachescape::simulate {

using naive::ByteRange;
using naive::bytes_of;

bool NaiveShadow::holds(Line line) const {
  return std::ranges::find(most_recent_first_, line) != most_recent_first_.end();
}

void NaiveShadow::use_if_held(Line line) {
  if (holds(line)) insert(line);
}

void NaiveShadow::insert(Line line) {
  remove(line);
  most_recent_first_.push_front(line);
  if (most_recent_first_.size() > lines_) most_recent_first_.pop_back();
}

void NaiveShadow::remove(Line line) { most_recent_first_.remove(line); }

void NaiveHistory::classify(Line line, ByteRange used, MissClasses& classes) const {
  if (!requested_.contains(line)) {
    ++classes.cold;
    return;
  }
  if (const auto record = departures_.find(line); record != departures_.end()) {
    if (record->second.why == Departure::inclusion) {
      ++classes.inclusion;
      return;
    }
    const auto& written = record->second.written_since;
    const bool meets = std::ranges::any_of(written, [&](Address a) { return used.first <= a && a <= used.last; });
    ++(meets ? classes.true_sharing : classes.false_sharing);
    return;
  }
  ++(shadow_.holds(line) ? classes.conflict : classes.capacity);
}

void NaiveHistory::requested(Line line) {
  requested_.insert(line);
  departures_.erase(line);
  shadow_.use_if_held(line);
}

void NaiveHistory::inserted(Line line) { shadow_.insert(line); }

void NaiveHistory::handed_over(Line line) { shadow_.remove(line); }

void NaiveHistory::invalidated(Line line) {
  departures_[line] = {.why = Departure::invalidated, .written_since = {}};
  shadow_.remove(line);
}

void NaiveHistory::removed_by_inclusion(Line line) {
  departures_[line] = {.why = Departure::inclusion, .written_since = {}};
}

void NaiveHistory::written_elsewhere(ByteRange used) {
  for (Line line : lines_in(used, line_size_)) {
    const auto record = departures_.find(line);
    if (record == departures_.end()) continue;
    const ByteRange part = common_bytes(used, bytes_of(line, line_size_));
    for (std::uint64_t i = 0; i < part.size().value; ++i) {
      record->second.written_since.insert(part.first + Bytes{i});
    }
  }
}

}  // namespace cachescape::simulate
