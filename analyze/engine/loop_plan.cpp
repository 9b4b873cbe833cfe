#include "analyze/engine/loop_plan.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <numeric>

namespace cachescape::analyze {
namespace {

constexpr std::size_t most_slots = 24;
constexpr std::uint64_t most_simulated = 1u << 14;  ///< touches
constexpr std::uint64_t longest_step = 4096;
constexpr std::uint32_t longest_size = 256;

std::uint64_t round_up(std::uint64_t n, std::uint64_t unit) { return (n + unit - 1) / unit * unit; }

std::uint64_t magnitude(std::int64_t n) {
  return n < 0 ? 0 - static_cast<std::uint64_t>(n) : static_cast<std::uint64_t>(n);
}

/// Whether the access stays clear of both ends of the address space.
bool stays_inside(const StridedAccess& a, std::uint64_t trips) {
  constexpr std::uint64_t margin = 1u << 20;
  std::uint64_t way = 0;
  if (__builtin_mul_overflow(magnitude(a.step), trips, &way)) return false;
  if (a.base.value < margin || a.base.value > ~margin) return false;
  return way < (a.step < 0 ? a.base.value - margin : ~margin - a.base.value);
}

}  // namespace

bool ShapedLoop::see(const Loop& loop, LineSize size) {
  const std::span<const StridedAccess> body = loop.body;
  const std::int64_t step = body[0].step;
  if (body.size() > most_slots || step == 0 || magnitude(step) > longest_step) return false;
  const std::uint64_t line = size.bytes().value;
  const std::uint64_t stride = magnitude(step);
  const std::uint64_t period = line / std::gcd(stride, line);
  // Shorter loops are over before their pattern repeats, and two slots at least make a pattern.
  if (period > LoopPlan::trips_per_pattern || loop.trips < 2 * period || (period == 1 && body.size() == 1))
    return false;
  std::uint64_t longest = 1;
  for (const StridedAccess& a : body) {
    if (a.step != step || a.size > longest_size || !stays_inside(a, loop.trips)) return false;
    longest = std::max<std::uint64_t>(longest, a.size);
  }

  order_.resize(body.size());
  std::iota(order_.begin(), order_.end(), 0u);
  std::ranges::sort(order_, {}, [&](std::uint32_t slot) { return body[slot].base.value; });
  // A line that comes back must have been away for longer than any line stays: slots that follow each other more
  // closely pass their lines as one.
  const std::uint64_t margin = 2 * line + 2 * longest + 4 * stride;
  std::uint64_t near = margin;
  std::uint64_t widest = 0;
  for (bool grew = true; grew;) {
    grew = false;
    widest = 0;
    std::uint64_t begin = body[order_[0]].base.value;
    for (std::size_t i = 1; i < order_.size(); ++i) {
      const std::uint64_t at = body[order_[i]].base.value;
      if (at - body[order_[i - 1]].base.value > near) begin = at;
      widest = std::max(widest, at - begin);
    }
    if (widest + margin > near) {
      near = widest + margin;
      grew = true;
    }
    if (widest > 64 * line) return false;
  }

  shape.step = step;
  shape.slots.resize(body.size());
  first_lines.clear();
  for (std::size_t i = 0; i < order_.size(); ++i) {
    const StridedAccess& a = body[order_[i]];
    if (i == 0 || a.base.value - body[order_[i - 1]].base.value > near)
      first_lines.push_back(size.line_of(a.base).value);
    shape.slots[order_[i]] = {static_cast<std::uint32_t>(first_lines.size() - 1), std::max(a.size, 1u),
                              static_cast<std::int64_t>(a.base.value - (first_lines.back() << size.log2())), a.kind};
  }
  // After this many iterations nothing is left of the beginning, and so many before the end nothing is cut short.
  const std::uint64_t settled = round_up((widest + longest + line) / stride + 3, period);
  const std::uint64_t rest = loop.trips % period;
  shape.before = settled;
  shape.period = period;
  shape.advance = step * static_cast<std::int64_t>(period) / static_cast<std::int64_t>(line);
  shape.iterations = 2 * settled + period + rest;
  if (loop.trips >= shape.iterations) {
    periods = (loop.trips - shape.iterations) / period + 1;
  } else {
    shape.before = shape.iterations = loop.trips;
    shape.period = 0;
    shape.advance = 0;
    periods = 0;
  }
  return shape.iterations * body.size() <= most_simulated;
}

namespace {

struct Touch {
  LoopPlan::Where where;
  std::uint16_t slot;
  std::uint64_t iteration;
  bool first = false;
  bool last = false;
  std::uint32_t distance = 0;             ///< unless it is the first
  std::vector<LoopPlan::Where> others{};  ///< lines touched since the line's last touch
};

/// The loop's touches, with what is known of them from the loop alone, by a list of lines in the order of their
/// touches.
std::vector<Touch> touches_of(const LoopShape& shape, LineSize size) {
  std::vector<Touch> touches;
  std::vector<LoopPlan::Where> recent;  // most recent last
  std::map<LoopPlan::Where, std::size_t> latest;
  for (std::uint64_t i = 0; i < shape.iterations; ++i) {
    for (std::size_t s = 0; s < shape.slots.size(); ++s) {
      const LoopShape::Slot& slot = shape.slots[s];
      const std::int64_t begin = slot.offset + static_cast<std::int64_t>(i) * shape.step;
      const std::int64_t end = begin + slot.size - 1;
      for (std::int64_t line = begin >> size.log2(); line <= end >> size.log2(); ++line) {
        Touch t{{slot.cluster, static_cast<std::int32_t>(line)}, static_cast<std::uint16_t>(s), i};
        const auto [before, first] = latest.try_emplace(t.where, touches.size());
        t.first = first;
        if (!first) {
          const auto found = std::find(recent.rbegin(), recent.rend(), t.where);
          t.distance = static_cast<std::uint32_t>(found - recent.rbegin());
          t.others.assign(recent.rbegin(), found);
          recent.erase(std::next(found).base());
          touches[before->second].last = false;
          before->second = touches.size();
        }
        t.last = true;
        recent.push_back(t.where);
        touches.push_back(std::move(t));
      }
    }
  }
  return touches;
}

/// Whether lines leave in the order in which they came.
bool leave_as_they_came(const std::vector<Touch>& touches) {
  std::map<LoopPlan::Where, std::size_t> arrival;
  std::size_t arrived = 0;
  std::size_t left = 0;
  for (const Touch& t : touches) {
    if (t.first) arrival[t.where] = arrived++;
    if (t.last && arrival[t.where] != left++) return false;
  }
  return true;
}

void count(std::vector<LoopPlan::Known>& known, std::uint16_t slot, std::uint32_t distance) {
  const auto at =
      std::ranges::find_if(known, [&](const LoopPlan::Known& k) { return k.slot == slot && k.distance == distance; });
  if (at != known.end()) {
    ++at->times;
  } else {
    known.push_back({slot, distance, 1});
  }
}

void count(std::vector<LoopPlan::Crossed>& crossed, const Touch& t, AccessKind kind) {
  LoopPlan::Crossed c{kind, t.where.cluster, t.others, 1};
  for (LoopPlan::Where& w : c.others) w.line -= t.where.line;
  std::ranges::sort(c.others);
  const auto at = std::ranges::find_if(crossed, [&](const LoopPlan::Crossed& other) {
    return other.kind == c.kind && other.cluster == c.cluster && other.others == c.others;
  });
  if (at != crossed.end()) {
    ++at->times;
  } else {
    crossed.push_back(std::move(c));
  }
}

std::map<LoopPlan::Where, std::size_t> last_touches(const std::vector<Touch>& touches) {
  std::map<LoopPlan::Where, std::size_t> last;
  for (std::size_t i = 0; i < touches.size(); ++i) last[touches[i].where] = i;
  return last;
}

/// Notes which of the lines that are here stay longer than one that comes now and leaves then.
void nest(LoopPlan::Part& part, LoopPlan::Where line, std::size_t leaves, std::map<LoopPlan::Where, std::size_t>& here,
          std::size_t now) {
  std::erase_if(here, [now](const auto& other) { return other.second < now; });
  LoopPlan::Nested nested{part.came, {}};
  for (const auto& [other, left] : here)
    if (left > leaves) nested.around.push_back(other);
  if (!nested.around.empty()) part.nested.push_back(std::move(nested));
  here[line] = leaves;
}

/// A line's write history within the loop.
struct Written {
  bool written = false;        ///< since the loop came to it
  std::uint32_t greatest = 0;  ///< distance since the last write, or since the first touch
};

}  // namespace

LoopPlan::LoopPlan(const LoopShape& shape, LineSize size) {
  const std::vector<Touch> touches = touches_of(shape, size);
  first_in_first_out_ = leave_as_they_came(touches);
  const std::map<Where, std::size_t> leaving = last_touches(touches);
  std::map<Where, std::size_t> here;  ///< lines that have come, with their last touches
  std::map<Where, Written> lines;
  for (std::size_t at = 0; at < touches.size(); ++at) {
    const Touch& t = touches[at];
    Part& part = parts_[t.iteration < shape.before ? 0 : t.iteration < shape.before + shape.period ? 1 : 2];
    const AccessKind kind = shape.slots[t.slot].kind;
    Written& line = lines[t.where];
    if (t.first) {
      if (!first_in_first_out_) nest(part, t.where, leaving.at(t.where), here, at);
      keep(part, {t.where, t.slot, true, first_in_first_out_ || t.last});
      line.written = writes(kind);
      continue;
    }
    count(part.known, t.slot, t.distance);
    if (t.distance == 0) {
      ++part.immediate[static_cast<std::size_t>(kind)];
    } else {
      count(part.crossed, t, kind);
    }
    line.greatest = std::max(line.greatest, t.distance);
    if (writes(kind)) {
      // The first write ends an epoch that began before the loop, if any; of the others all is known.
      if (line.written) {
        count(part.ended_epochs, 0, line.greatest);
      } else {
        part.epochs.push_back({static_cast<std::uint32_t>(part.kept.size()), t.where, line.greatest, true});
      }
      line = {true, 0};
    }
    if (t.last) {
      if (line.greatest > 0)
        part.epochs.push_back({static_cast<std::uint32_t>(part.kept.size()), t.where, line.greatest, false});
      if (!first_in_first_out_) keep(part, {t.where, t.slot, false, true});
    }
  }
  for (Part& part : parts_) {
    part.reach.resize(1 + std::ranges::max(shape.slots, {}, &LoopShape::Slot::cluster).cluster);
    for (const Nested& n : part.nested) most_around_ = std::max(most_around_, n.around.size());
  }
}

void LoopPlan::keep(Part& part, const Kept& kept) {
  part.kept.push_back(kept);
  if (kept.where.cluster >= part.reach.size()) part.reach.resize(kept.where.cluster + 1);
  part.reach[kept.where.cluster].add({kept.where.line, kept.where.line}, 0);
  part.came += kept.counted ? 1 : 0;
  part.left += kept.leaves ? 1 : 0;
}

std::uint64_t LoopPlan::memory_bytes() const {
  std::uint64_t bytes = sizeof *this;
  for (const Part& p : parts_) {
    bytes += p.kept.capacity() * sizeof(Kept) + p.known.capacity() * sizeof(Known) +
             p.crossed.capacity() * sizeof(Crossed) + p.epochs.capacity() * sizeof(Epoch) +
             p.ended_epochs.capacity() * sizeof(Known);
    for (const Crossed& c : p.crossed) bytes += c.others.capacity() * sizeof(Where);
    bytes += p.nested.capacity() * sizeof(Nested) + p.reach.capacity() * sizeof(Reach);
    for (const Nested& n : p.nested) bytes += n.around.capacity() * sizeof(Where);
  }
  return bytes;
}

}  // namespace cachescape::analyze
