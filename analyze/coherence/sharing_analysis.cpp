#include "analyze/coherence/sharing_analysis.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

namespace cachescape::analyze {
namespace {

/// Write-backs that happen whatever the size: more lines than any cache has.
constexpr std::uint64_t any_size = std::uint64_t{1} << 32;
constexpr std::size_t at_a_time = 64;

/// Bits `first` … `last`.
constexpr std::uint64_t mask(std::uint64_t first, std::uint64_t last) {
  return (~std::uint64_t{0} >> (63 - (last - first))) << first;
}

/// Steps that a byte may take before it leaves its line, or as many as are of interest.
std::uint64_t steps_inside(std::uint64_t address, std::int64_t step, LineSize line, std::uint64_t most) {
  if (step == 0) return most;
  const std::uint64_t in_line = line.bytes().value - 1;
  const std::uint64_t room = step > 0 ? in_line - (address & in_line) : address & in_line;
  return std::min(most, room / (step > 0 ? static_cast<std::uint64_t>(step) : 0 - static_cast<std::uint64_t>(step)));
}

/// Iterations after this one in which the access touches the same lines, or as many as are of interest.
std::uint64_t iterations_inside(const StridedAccess& a, std::uint64_t i, LineSize line, std::uint64_t most) {
  const Address first = a.at(i);
  const Address last = last_byte(first, a.size);
  // Accesses that the end of the address space cuts off grow and shrink.
  if (a.size > 1 && last.value - first.value != a.size - 1) return 0;
  return steps_inside(last.value, a.step, line, steps_inside(first.value, a.step, line, most));
}

/// Whether looking for iterations that touch the same lines pays.
bool is_slow(const StridedAccess& a, LineSize line) {
  const auto quarter = static_cast<std::int64_t>(line.bytes().value / 4);
  return -quarter <= a.step && a.step <= quarter;
}

}  // namespace

SharingAnalysis::SharingAnalysis(const SharingOptions& options)
    : options_(options),
      granule_bits_(mask_granule_bits(options.line)),
      counters_(options.set_levels, options.set_levels > 0 ? options.ways : 0) {}

CacheGroup& SharingAnalysis::group(std::uint32_t number) {
  while (number >= groups_.size())
    groups_.push_back(std::make_unique<CacheGroup>(static_cast<std::uint32_t>(groups_.size()), counters_));
  return *groups_[number];
}

void SharingAnalysis::seed(std::span<const CacheGroup::Known> lines, StackProfile stack,
                           std::optional<SetProfile> sets) {
  std::vector<CacheGroup::Known> known(lines.begin(), lines.end());
  for (CacheGroup::Known& k : known) {
    k.number = directory_.number_of(k.line, 0);
    directory_.touch_alone(k.number, 0, k.greatest != WriteEpochs::no_epoch);
  }
  group(0).seed(known);
  earlier_stack_ = std::move(stack);
  earlier_sets_ = std::move(sets);
}

void SharingAnalysis::consume(std::uint32_t thread, std::span<const PackedAccess> accesses) {
  CacheGroup& g = group(thread / options_.degree);
  while (!accesses.empty()) {
    const auto now = accesses.first(std::min(at_a_time, accesses.size()));
    accesses = accesses.subspan(now.size());
    // Looking ahead pays where more than a few touches leave the recent lines; what was so will be so.
    std::array<std::uint32_t, at_a_time> numbers{};
    if (g.take_arrivals() >= now.size() / 4) look_ahead(g, now, numbers);
    for (std::size_t i = 0; i < now.size(); ++i) {
      const PackedAccess& a = now[i];
      access(g, {thread, a.address(), a.size(), a.kind(), a.place(), numbers[i]});
    }
  }
}

// An iteration that touches the lines of the one before leaves their order as it was. From the third one on, if all its
// lines are recent and nobody need be told of its writes, it changes nothing but counts, each by as much as the last.
void SharingAnalysis::consume(std::uint32_t thread, std::uint64_t trips, std::span<const StridedAccess> body) {
  CacheGroup& g = group(thread / options_.degree);
  const auto iterate = [&](std::uint64_t i, std::uint64_t times) {
    for (const StridedAccess& a : body)
      access(g, {thread, a.at(i), a.size, a.kind, static_cast<std::uint32_t>(a.site.value), 0, times});
  };
  const bool slow = std::ranges::all_of(body, [this](const StridedAccess& a) { return is_slow(a, options_.line); });
  for (std::uint64_t i = 0; i < trips;) {
    std::uint64_t same = 1;
    if (slow) {
      same = trips - i;
      for (const StridedAccess& a : body) same = std::min(same, 1 + iterations_inside(a, i, options_.line, same));
    }
    const std::uint64_t end = i + same;
    iterate(i++, 1);
    if (i < end) {
      const std::uint64_t before = g.events();
      iterate(i++, 1);
      if (i < end && g.events() == before) {
        iterate(i, end - i);
        for (const StridedAccess& a : body)
          if (writes(a.kind)) write_on(g, a, i + 1, end);
        i = end;
      }
    }
    for (; i < end; ++i) iterate(i, 1);
  }
}

void SharingAnalysis::write_on(CacheGroup& g, const StridedAccess& a, std::uint64_t from, std::uint64_t to) {
  for (std::uint64_t i = from; i < to; ++i) {
    for_lines(a.at(i), a.size, [&](Line line, std::uint64_t bytes) {
      Ownership* const ownership = g.recent(g.find_recent(line)).ownership;
      if (ownership != nullptr) ownership->write(bytes);
    });
  }
}

// Finds the numbers of lines that will not be recent when their turn comes, as far as one can tell, and brings what is
// known of them nearer to the processor. In steps, because each takes as long as memory takes.
void SharingAnalysis::look_ahead(CacheGroup& g, std::span<const PackedAccess> accesses,
                                 std::span<std::uint32_t> numbers) {
  std::array<std::uint64_t, at_a_time + RecentLines::slots> lines;
  std::array<std::uint8_t, at_a_time> wanted;
  std::array<LineRecord*, at_a_time> records;
  std::size_t n = 0;
  for (std::size_t i = 0; i < RecentLines::slots; ++i) lines[i] = ~std::uint64_t{0};
  for (std::size_t i = 0; i < accesses.size(); ++i) {
    const std::uint64_t line = options_.line.line_of(accesses[i].address()).value;
    if (line == lines[n] || line == lines[n + 1] || line == lines[n + 2] || line == lines[n + 3]) continue;
    if (g.find_recent(Line{line}) != CacheGroup::not_recent) continue;
    lines[n + RecentLines::slots] = line;
    wanted[n++] = static_cast<std::uint8_t>(i);
    directory_.prefetch_number(Line{line});
  }
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint32_t number = directory_.peek_number(Line{lines[i + RecentLines::slots]});
    numbers[wanted[i]] = number;
    records[i] = &g.record(number);
    __builtin_prefetch(records[i], 1);
    directory_.prefetch_state(number);
  }
  // What the group holds and only reads is no business of the directory's.
  std::size_t asked = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const bool asks = records[i]->hold() == Hold::none || writes(accesses[wanted[i]].kind());
    wanted[asked] = wanted[i];
    asked += asks ? 1 : 0;
  }
  for (std::size_t i = 0; i < asked; ++i) directory_.prefetch_ownership(numbers[wanted[i]]);
  // What others lose is noted with them.
  for (std::size_t i = 0; i < asked; ++i) {
    const std::uint32_t number = numbers[wanted[i]];
    const Ownership* const line = directory_.shared_so_far(number);
    if (line == nullptr) continue;
    const std::uint64_t others = line->others_that_hold(g.number());
    for (std::uint64_t rest = writes(accesses[wanted[i]].kind()) ? others : line->changed_elsewhere(g.number());
         rest != 0; rest &= rest - 1)
      __builtin_prefetch(&groups_[static_cast<std::size_t>(std::countr_zero(rest))]->record(number), 1);
  }
}

template <class Visit>
[[gnu::always_inline]] inline void SharingAnalysis::for_lines(Address address, std::uint32_t size, Visit visit) const {
  const std::uint64_t in_line = options_.line.bytes().value - 1;
  const std::uint64_t last = last_byte(address, size).value;
  for (std::uint64_t first = address.value;;) {
    const std::uint64_t end = std::min(last, first | in_line);
    visit(options_.line.line_of(Address{first}),
          mask((first & in_line) >> granule_bits_, (end & in_line) >> granule_bits_));
    if (end == last) [[likely]]
      return;
    first = end + 1;
  }
}

inline void SharingAnalysis::access(CacheGroup& g, Access a) {
  for_lines(a.address, a.size, [&](Line line, std::uint64_t bytes) {
    touch(g, a, line, bytes);
    a.number = 0;
  });
}

inline void SharingAnalysis::touch(CacheGroup& g, const Access& a, Line line, std::uint64_t bytes) {
  const unsigned slot = g.find_recent(line);
  if (slot != CacheGroup::not_recent) [[likely]] {
    if (writes(a.kind)) {
      const CacheGroup::Recent& recent = g.recent(slot);
      if (!recent.quiet) return write_recent(g, slot, line, a.kind, {a.thread, a.place, bytes});
      if (recent.ownership != nullptr) recent.ownership->write(bytes);
    }
    return g.touch_recent(slot, a.kind, a.times);
  }
  const std::uint32_t group = g.number();
  CacheGroup::Touch t;
  t.line = line;
  t.number = a.number != 0 ? a.number : directory_.number_of(line, group);
  t.kind = a.kind;
  LineRecord& record = g.record(t.number);
  // Reading what it holds changes nothing for anybody else: had others written it, it would have been taken.
  if ((!writes(a.kind) && record.hold() != Hold::none) || directory_.touch_alone(t.number, group, writes(a.kind)))
    return g.touch(t, record);
  touch_shared(g, t, record, {a.thread, a.place, bytes});
}

void SharingAnalysis::touch_shared(CacheGroup& g, const CacheGroup::Touch& touch, LineRecord& record,
                                   const SharingEvents::Use& use) {
  const std::uint32_t group = g.number();
  CacheGroup::Touch t = touch;
  Ownership& line = directory_.shared(t.number);
  if (line.changed_elsewhere(group) != 0) {
    groups_[line.owner()]->clean(t.line, t.number);
    line.clean();
  }
  const std::uint64_t others = line.others_that_hold(group);
  t.shared = others != 0;
  t.ownership = &line;
  if (Departure departure; line.come_back(group, departure)) {
    t.lost = (departure.written & use.bytes) != 0 ? SharingKind::true_sharing : SharingKind::false_sharing;
    if (options_.events) {
      events_.add(line.report(), options_.line.first_byte(t.line), *t.lost, use, writes(t.kind), departure.writer());
    }
  }
  g.touch(t, record);
  if (!writes(t.kind)) return;
  take_from(others, t.line, t.number);
  line.take(group, use);
}

void SharingAnalysis::write_recent(CacheGroup& g, unsigned slot, Line line, AccessKind kind,
                                   const SharingEvents::Use& use) {
  const std::uint32_t group = g.number();
  const std::uint32_t number = g.recent(slot).number;
  if (directory_.touch_alone(number, group, true)) return g.write_recent(slot, kind, false, nullptr);
  Ownership& ownership = directory_.shared(number);
  const std::uint64_t others = ownership.others_that_hold(group);
  g.write_recent(slot, kind, others != 0, &ownership);
  take_from(others, line, number);
  ownership.take(group, use);
}

void SharingAnalysis::take_from(std::uint64_t groups, Line line, std::uint32_t number) {
  for (; groups != 0; groups &= groups - 1)
    groups_[static_cast<std::size_t>(std::countr_zero(groups))]->take(line, number);
}

void SharingAnalysis::flush() {
  for (const auto& g : groups_) g->flush();
  events_.flush();
}

CoherentProfile SharingAnalysis::profile() const {
  CoherentCounters counters = counters_;
  for (const auto& g : groups_) g->finish(counters);
  CoherentProfile p;
  p.degree = options_.degree;
  p.line = options_.line;
  p.caches = static_cast<std::uint32_t>(groups_.size());
  for (std::size_t k = 0; k < access_kinds; ++k) {
    p.kinds[k].kept.bins = counters.kept[k].bins();
    p.kinds[k].kept.cold = counters.cold[k];
    for (std::size_t s = 0; s < sharing_kinds; ++s) p.kinds[k].lost[s] = counters.lost[k][s].bins();
    if (!earlier_stack_) continue;
    p.kinds[k].kept.bins = sum_of(p.kinds[k].kept.bins, earlier_stack_->kinds[k].bins);
    p.kinds[k].kept.cold += earlier_stack_->kinds[k].cold;
  }
  p.taken = counters.taken.bins();
  p.remote = counters.remote.bins();
  p.upgrades = counters.upgrades.bins();
  for (std::size_t i = 0; i < p.msi_upgrades.size(); ++i) p.msi_upgrades[i] = counters.msi_upgrades[i].bins();
  p.write_backs = counters.write_backs.bins();
  if (counters.always_written_back > 0) p.write_backs.push_back({any_size, counters.always_written_back});
  if (earlier_stack_ && earlier_stack_->write_backs)
    p.write_backs = sum_of(p.write_backs, *earlier_stack_->write_backs);
  p.ways = counters.ways;
  for (unsigned level = 0; level < counters.levels; ++level) {
    CoherentSets sets;
    sets.sets = std::uint64_t{1} << level;
    for (std::size_t k = 0; k < access_kinds; ++k) {
      sets.kept[k].resize(counters.ways);
      for (std::size_t s = 0; s < sharing_kinds; ++s) {
        const auto begin = counters.lost_in_sets.begin() + static_cast<std::ptrdiff_t>(counters.in_sets(level, k, s));
        sets.lost[k][s].assign(begin, begin + counters.ways);
      }
    }
    for (const auto& g : groups_) {
      const auto hits = g->sets()->hits(level);
      for (std::size_t k = 0; k < access_kinds; ++k)
        for (std::size_t d = 0; d < counters.ways; ++d) sets.kept[k][d] += hits[k][d];
    }
    if (earlier_sets_) {
      const auto earlier = std::ranges::find(earlier_sets_->counts, sets.sets, &SetCounts::sets);
      if (earlier != earlier_sets_->counts.end())
        for (std::size_t k = 0; k < access_kinds; ++k)
          for (std::size_t d = 0; d < counters.ways; ++d) sets.kept[k][d] += earlier->hits[k][d];
    }
    p.sets.push_back(std::move(sets));
  }
  return p;
}

std::uint64_t SharingAnalysis::memory_bytes() const {
  std::uint64_t bytes = directory_.memory_bytes() + events_.memory_bytes();
  for (const auto& g : groups_) bytes += g->memory_bytes();
  return bytes;
}

}  // namespace cachescape::analyze
