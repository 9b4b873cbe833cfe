#include "analyze/coherence/sharing_analysis.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace cachescape::analyze {
namespace {

// As for last touches: scattered lines are hashed when the shadow has this much more than its due.
constexpr std::size_t shadow_slack_bytes = std::size_t{32} << 20;
/// Write-backs that happen whatever the size: more lines than any cache has.
constexpr std::uint64_t any_size = std::uint64_t{1} << 32;

constexpr std::uint64_t bit(std::uint32_t group) { return std::uint64_t{1} << group; }

/// Bits `first` … `last`.
constexpr std::uint64_t mask(std::uint64_t first, std::uint64_t last) {
  return (~std::uint64_t{0} >> (63 - (last - first))) << first;
}

}  // namespace

SharingAnalysis::SharingAnalysis(const SharingOptions& options)
    : options_(options),
      granule_bits_(mask_granule_bits(options.line)),
      counters_(options.set_levels, options.set_levels > 0 ? options.ways : 0),
      numbers_(shadow_slack_bytes),
      states_(1) {}

CacheGroup& SharingAnalysis::group(std::uint32_t number) {
  while (number >= groups_.size()) groups_.push_back(std::make_unique<CacheGroup>(counters_));
  return *groups_[number];
}

std::uint32_t& SharingAnalysis::number_of(Line line) {
  std::uint32_t* at = numbers_.find(line.value);
  if (at == nullptr) [[unlikely]] {
    numbers_.make_room(line.value);
    at = numbers_.find(line.value);
  }
  return *at;
}

void SharingAnalysis::seed(std::span<const CacheGroup::Known> lines, StackProfile stack,
                           std::optional<SetProfile> sets) {
  std::vector<CacheGroup::Known> known(lines.begin(), lines.end());
  for (CacheGroup::Known& k : known) {
    k.number = number_of(k.line) = static_cast<std::uint32_t>(states_.size());
    numbers_.add_lines(1);
    states_.push_back(2 + (k.greatest != WriteEpochs::no_epoch ? 1 : 0));
  }
  group(0).seed(known);
  earlier_stack_ = std::move(stack);
  earlier_sets_ = std::move(sets);
}

void SharingAnalysis::consume(std::uint32_t thread, std::span<const PackedAccess> accesses) {
  for (const PackedAccess& a : accesses) access(thread, a.address(), a.size(), a.kind(), a.place());
}

void SharingAnalysis::consume(std::uint32_t thread, std::uint64_t trips, std::span<const StridedAccess> body) {
  for (std::uint64_t i = 0; i < trips; ++i) {
    for (const StridedAccess& a : body)
      access(thread, a.at(i), a.size, a.kind, static_cast<std::uint32_t>(a.site.value));
  }
}

void SharingAnalysis::access(std::uint32_t thread, Address address, std::uint32_t size, AccessKind kind,
                             std::uint32_t place) {
  const std::uint64_t in_line = options_.line.bytes().value - 1;
  const std::uint64_t last = last_byte(address, size).value;
  for (std::uint64_t first = address.value;;) {
    const std::uint64_t end = std::min(last, first | in_line);
    touch(thread, options_.line.line_of(Address{first}),
          mask((first & in_line) >> granule_bits_, (end & in_line) >> granule_bits_), kind, place);
    if (end == last) return;
    first = end + 1;
  }
}

inline void SharingAnalysis::touch(std::uint32_t thread, Line line, std::uint64_t bytes, AccessKind kind,
                                   std::uint32_t place) {
  const std::uint32_t g = thread / options_.degree;
  // Most touches are of the line touched before.
  if (line == last_line_ && g == last_group_ && (last_written_ || !writes(kind)) && line.value != no_line) {
    groups_[g]->again(kind);
    return;
  }
  last_line_ = line;
  last_group_ = g;
  std::uint32_t& number = number_of(line);
  if (number == 0) {
    number = static_cast<std::uint32_t>(states_.size());
    numbers_.add_lines(1);
    states_.push_back(0);
  }
  CacheGroup::Touch t{line, number, kind, false, false, false};
  std::uint32_t& state = states_[number];
  const std::uint32_t alone = 2 * g + 2;
  if (state == 0 || (state | 1) == (alone | 1)) {
    t.written = state == (alone | 1);
    state = alone | static_cast<std::uint32_t>(t.written || writes(kind));
    last_written_ = writes(kind);
    group(g).touch(t);
    return;
  }
  if (state < several) {
    Entry entry;
    entry.owner = (state - 2) / 2;
    entry.holders = bit(entry.owner);
    entry.owned = entry.dirty = (state & 1) != 0;
    state = several + static_cast<std::uint32_t>(entries_.size());
    entries_.push_back(std::move(entry));
  }
  last_written_ = false;
  touch_shared(entries_[state - several], g, t, {thread, place, bytes});
}

void SharingAnalysis::touch_shared(Entry& entry, std::uint32_t g, const CacheGroup::Touch& touch,
                                   const SharingEvents::Use& use) {
  CacheGroup::Touch t = touch;
  const bool mine = entry.owned && entry.owner == g;
  if (entry.dirty && !mine) {
    counters_.remote.add(groups_[entry.owner]->clean(t.number), 1);
    entry.dirty = false;
  }
  t.shared = (entry.holders & ~bit(g)) != 0;
  t.written = mine && entry.dirty;
  if ((entry.holders & bit(g)) == 0) {
    const auto departed = std::ranges::find(entry.departures, g, &Departure::group);
    if (departed != entry.departures.end()) {
      t.taken = true;
      const bool truly = ((departed->written | entry.written) & use.bytes) != 0;
      const SharingKind sharing = truly ? SharingKind::true_sharing : SharingKind::false_sharing;
      counters_.add_loss(t.kind, sharing, departed->loss);
      if (options_.events)
        events_.add(options_.line.first_byte(t.line), sharing, use, writes(t.kind), departed->writer);
      entry.departures.erase(departed);
    }
  }
  group(g).touch(t);
  entry.holders |= bit(g);
  if (!writes(t.kind)) return;
  if (t.shared || !mine) take_from_others(entry, g, t, use);
  entry.dirty = true;
  entry.written |= use.bytes;
}

void SharingAnalysis::take_from_others(Entry& entry, std::uint32_t g, const CacheGroup::Touch& touch,
                                       const SharingEvents::Use& use) {
  for (Departure& d : entry.departures) d.written |= entry.written;
  entry.written = 0;
  for (std::uint64_t others = entry.holders & ~bit(g); others != 0; others &= others - 1) {
    const auto h = static_cast<std::uint32_t>(std::countr_zero(others));
    entry.departures.push_back({h, groups_[h]->take(touch.line, touch.number), use, 0});
  }
  entry.holders = bit(g);
  entry.owner = g;
  entry.owned = true;
}

void SharingAnalysis::flush() {
  for (const auto& g : groups_) g->flush();
}

CoherentProfile SharingAnalysis::profile() const {
  CoherentCounters counters = counters_;
  for (const auto& g : groups_) g->finish(counters);
  const auto bins = [](const DistanceCounts& counts) { return counts.histogram(1, 1).bins; };
  CoherentProfile p;
  p.degree = options_.degree;
  p.line = options_.line;
  p.caches = static_cast<std::uint32_t>(groups_.size());
  for (std::size_t k = 0; k < access_kinds; ++k) {
    p.kinds[k].kept = counters.kept[k].histogram(1, 1);
    for (std::size_t s = 0; s < sharing_kinds; ++s) p.kinds[k].lost[s] = bins(counters.lost[k][s]);
    if (!earlier_stack_) continue;
    p.kinds[k].kept.bins = sum_of(p.kinds[k].kept.bins, earlier_stack_->kinds[k].bins);
    p.kinds[k].kept.cold += earlier_stack_->kinds[k].cold;
  }
  p.taken = bins(counters.taken);
  p.remote = bins(counters.remote);
  p.upgrades = bins(counters.upgrades);
  for (std::size_t i = 0; i < p.msi_upgrades.size(); ++i) p.msi_upgrades[i] = bins(counters.msi_upgrades[i]);
  p.write_backs = bins(counters.write_backs);
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
  std::uint64_t bytes = numbers_.memory_bytes() + states_.capacity() * sizeof(std::uint32_t) +
                        entries_.size() * (sizeof(Entry) + 2 * sizeof(Departure)) + events_.memory_bytes();
  for (const auto& g : groups_) bytes += g->memory_bytes();
  return bytes;
}

}  // namespace cachescape::analyze
