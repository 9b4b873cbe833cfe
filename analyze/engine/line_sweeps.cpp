// Loops whose lines come once each are followed all at once: no line goes through the front, and distances are counted
// together.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>

#include "analyze/engine/line_analysis.hpp"

namespace cachescape::analyze {
namespace {

/// At how many numbers of sets, from one on, two lines fall into the same.
std::uint64_t shared_levels(Line a, Line b, unsigned max_level) {
  return std::min<std::uint64_t>(static_cast<std::uint64_t>(std::countr_zero(a.value ^ b.value)), max_level) + 1;
}

/// Lines of loops that leave many out are not taken at once.
constexpr std::size_t most_numbers = 8 * SweptLines::most;

/// Lines that a cluster comes to in the shortest piece of a loop.
std::int64_t shortest_way(std::int64_t step, LineSize size) {
  return ((std::abs(step) * static_cast<std::int64_t>(LoopPlan::trips_per_pattern)) >> size.log2()) + 2;
}

}  // namespace

LineAnalysis::Sweepable LineAnalysis::sweepable(const PlannedLoop& planned) {
  const LoopPlan& plan = planned.plan;
  const std::uint64_t periods = plans_.loop().periods;
  const std::uint64_t count = plan.before().came + plan.period().came * periods + plan.after().came;
  if (!front_.whole() || count < Front::lines || plan.most_around() >= Front::lines) return Sweepable::no;
  if (count > SweptLines::most) return Sweepable::in_pieces;
  // A cluster comes to each line once; no two clusters may come to the same.
  sweep_.clusters.clear();
  std::size_t lines = 0;
  for (std::size_t a = 0; a < plans_.loop().first_lines.size(); ++a) {
    const Reach mine = reach_of(planned, a);
    for (std::size_t b = 0; b < a; ++b) {
      const Reach& other = sweep_.clusters[b].reach;
      const auto apart = static_cast<std::int64_t>(plans_.loop().first_lines[b] - plans_.loop().first_lines[a]);
      if (apart + other.lowest > mine.highest || mine.lowest > apart + other.highest) continue;
      return std::abs(apart) > shortest_way(planned.shape.step, options_.line) ? Sweepable::in_pieces : Sweepable::no;
    }
    sweep_.clusters.push_back({lines, mine});
    lines += static_cast<std::size_t>(mine.highest - mine.lowest + 1);
  }
  if (lines > most_numbers) return Sweepable::no;
  sweep_.numbers.resize(std::max(sweep_.numbers.size(), lines));
  return Sweepable::yes;
}

Reach LineAnalysis::reach_of(const PlannedLoop& planned, std::size_t cluster) const {
  const LoopPlan& plan = planned.plan;
  const std::int64_t last = (static_cast<std::int64_t>(plans_.loop().periods) - 1) * planned.shape.advance;
  Reach all = plan.before().reach[cluster];
  all.add(plan.period().reach[cluster], 0);
  all.add(plan.period().reach[cluster], last);
  all.add(plan.after().reach[cluster], last);
  return all;
}

bool LineAnalysis::sweep(const Loop& loop, const PlannedLoop& planned) {
  take_pending();
  FarAnalysis& far = follow_far();
  if (options_.write_backs) {
    front_.end_stays();
    follow_far();
  }
  line_up(loop, planned);
  SweptLines& lines = *sweep_.lines;
  const std::size_t count = sweep_.count;
  const std::uint16_t* const leave = planned.plan.first_in_first_out() ? lines.as_they_came : lines.leave;
  if (!far.sweep({{lines.come, count},
                  {leave, count},
                  planned.plan.before().came,
                  planned.plan.period().came,
                  plans_.loop().periods},
                 front_.lanes(), lines.distance))
    return false;
  if (touchers_ != nullptr) {
    for (std::size_t i = 0; i < count; ++i)
      if (touchers_->touch(lines.come[i], thread_)) lines.group[i] += access_kinds;
  }
  count_sweep(planned, far);
  if (options_.write_backs) follow_epochs_of_sweep(planned, far);
  if (sets_) follow_sets_of_sweep(planned);
  std::array<Line, Front::lines> last;
  for (std::size_t i = 0; i < last.size(); ++i) last[i] = lines.come[leave[count - last.size() + i]];
  front_.replace(last);
  return true;
}

// What repeats from one period to the next is lined up entry by entry, each for all periods: lines of an entry follow
// each other.
void LineAnalysis::line_up(const Loop& loop, const PlannedLoop& planned) {
  SweptLines& lines = *sweep_.lines;
  const bool in_order = planned.plan.first_in_first_out();
  const auto advance = static_cast<std::uint64_t>(planned.shape.advance);
  std::size_t came = 0;
  for_repeated_parts(planned, [&](const LoopPlan::Part& part, std::int64_t lines_on, std::uint64_t times) {
    std::size_t at = came;
    for (const LoopPlan::Kept& k : part.kept) {
      if (!k.counted) continue;
      const StridedAccess& a = loop.body[k.slot];
      const std::uint64_t first = line_at(k.where, lines_on).value;
      const auto kind = static_cast<std::uint16_t>(a.kind);
      const auto place = static_cast<std::uint32_t>(a.site.value);
      std::size_t i = at++;
      for (std::uint64_t p = 0; p < times; ++p, i += part.came) {
        lines.come[i] = Line{first + p * advance};
        lines.group[i] = kind;
        lines.place[i] = place;
      }
      if (!in_order) number_lines(k.where, lines_on, planned.shape.advance, at - 1, part.came, times);
    }
    came += part.came * times;
  });
  sweep_.count = came;
  if (in_order) return;
  std::size_t left = 0;
  for_repeated_parts(planned, [&](const LoopPlan::Part& part, std::int64_t lines_on, std::uint64_t times) {
    std::size_t at = left;
    for (const LoopPlan::Kept& k : part.kept) {
      if (!k.leaves) continue;
      const std::uint16_t* number = number_of(k.where, lines_on);
      std::size_t i = at++;
      for (std::uint64_t p = 0; p < times; ++p, i += part.left, number += planned.shape.advance)
        lines.leave[i] = *number;
    }
    left += part.left * times;
  });
}

void LineAnalysis::number_lines(LoopPlan::Where where, std::int64_t lines_on, std::int64_t advance, std::size_t first,
                                std::size_t step, std::uint64_t times) {
  std::uint16_t* number = number_of(where, lines_on);
  for (std::uint64_t p = 0; p < times; ++p, first += step, number += advance)
    *number = static_cast<std::uint16_t>(first);
}

// Periods find the same distances again and again.
void LineAnalysis::count_sweep(const PlannedLoop& planned, FarAnalysis& far) const {
  const SweptLines& lines = *sweep_.lines;
  const auto add = [&](std::size_t i, std::uint32_t times) {
    far.count(lines.place[i], lines.group[i], lines.distance[i], times);
  };
  std::size_t came = 0;
  for_repeated_parts(planned, [&](const LoopPlan::Part& part, std::int64_t, std::uint64_t times) {
    if (times == 0) return;
    for (std::size_t at = came; at < came + part.came; ++at) {
      std::size_t first = at;
      std::uint32_t equal = 1;
      for (std::size_t i = at + part.came; i < came + part.came * times; i += part.came) {
        if (lines.distance[i] == lines.distance[first] && lines.group[i] == lines.group[first]) {
          ++equal;
          continue;
        }
        add(first, equal);
        first = i;
        equal = 1;
      }
      add(first, equal);
    }
    came += part.came * times;
  });
}

void LineAnalysis::follow_epochs_of_sweep(const PlannedLoop& planned, FarAnalysis& far) const {
  const SweptLines& lines = *sweep_.lines;
  std::size_t came = 0;
  for_parts(planned, [&](const LoopPlan::Part& part, std::int64_t lines_on) {
    std::size_t epoch = 0;
    const auto follow_until = [&](std::size_t kept) {
      for (; epoch < part.epochs.size() && part.epochs[epoch].after <= kept; ++epoch) {
        const LoopPlan::Epoch& e = part.epochs[epoch];
        far.follow_epoch(line_at(e.where, lines_on), e.distance, e.writes, 1);
      }
    };
    for (std::size_t i = 0; i < part.kept.size(); ++i) {
      follow_until(i);
      if (!part.kept[i].counted) continue;
      const auto kind = static_cast<AccessKind>(lines.group[came] % access_kinds);
      far.follow_epoch(lines.come[came], lines.distance[came], writes(kind), 1);
      ++came;
    }
    follow_until(part.kept.size());
  });
}

// Sets keep their lines in the order in which these leave: one that stays less long than lines that came before it is
// put behind them.
void LineAnalysis::follow_sets_of_sweep(const PlannedLoop& planned) {
  const SweptLines& lines = *sweep_.lines;
  SweptSets& sets = *sweep_.sets;
  sets.clear();
  if (!front_.as_entered())
    for (const Line line : front_.recency_order()) sets.touch(line, 0, 0);
  std::size_t came = 0;
  const auto touch = [&] {
    sets.touch(lines.come[came], lines.group[came], 1);
    ++came;
  };
  if (planned.plan.first_in_first_out()) {
    while (came < sweep_.count) touch();
  } else {
    const unsigned max_level = options_.sets->max_log2_sets;
    const unsigned first_level = sets_->sets().grid().min_log2_sets;
    for_parts(planned, [&](const LoopPlan::Part& part, std::int64_t lines_on) {
      const std::size_t begin = came;
      for (const LoopPlan::Nested& n : part.nested) {
        while (came - begin <= n.came) touch();
        const Line line = lines.come[came - 1];
        std::uint64_t demotion = 0;
        std::uint64_t most = 0;
        for (const LoopPlan::Where& w : n.around) {
          const std::uint64_t shared = shared_levels(line, line_at(w, lines_on), max_level);
          demotion = demotion << 8 | 0x80 | shared;
          most = std::max(most, shared);
        }
        if (most > first_level) sets.demote(line, demotion);
      }
      while (came - begin < part.came) touch();
    });
    // What is told of the last line needs a touch to go with: one that changes nothing.
    if (sets.demotes()) sets.touch(lines.come[lines.leave[sweep_.count - 1]], 0, 0);
  }
  sets_->add(sets.entering());
}

}  // namespace cachescape::analyze
