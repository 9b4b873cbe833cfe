#include "simulate/classifier.hpp"

#include <utility>

namespace cachescape::simulate {

void Classifier::missed(Line line, ByteRange used, MissClasses& classes) {
  const auto [it, first] = departures_.try_emplace(line.value, Departure::unremarkable);
  if (first) {
    ++classes.cold;
    return;
  }
  switch (std::exchange(it->second, Departure::unremarkable)) {
    case Departure::by_invalidation: {
      const ByteRange whole = ByteRange::of(line, line_);
      const auto written = written_.find(line.value);
      // Where lines get shorter outwards, the access may use none of this one's bytes.
      const bool meets = used.overlaps(whole) && written->second.meets(used.common(whole), whole.first);
      ++(meets ? classes.true_sharing : classes.false_sharing);
      written_.erase(written);
      break;
    }
    case Departure::by_inclusion:
      ++classes.inclusion;
      break;
    case Departure::unremarkable:
      ++(shadow_held_ ? classes.conflict : classes.capacity);
      break;
  }
}

void Classifier::invalidated(Line line) {
  shadow_.remove(line.value);
  departures_[line.value] = Departure::by_invalidation;
  written_.insert_or_assign(line.value, ByteMask(line_));
}

void Classifier::written_elsewhere(ByteRange range) {
  if (written_.empty()) return;
  const Touches lines = range.lines(line_);
  for (std::uint64_t l = lines.first.value;; ++l) {
    if (const auto it = written_.find(l); it != written_.end()) {
      const ByteRange whole = ByteRange::of(Line{l}, line_);
      it->second.add(range.common(whole), whole.first);
    }
    if (l == lines.last.value) break;
  }
}

}  // namespace cachescape::simulate
