#include "analyze/coherence/cache_group.hpp"

#include <algorithm>
#include <utility>

namespace cachescape::analyze {

CacheGroup::CacheGroup(CoherentCounters& counters) : counters_(counters) {
  if (counters.levels > 0) sets_.emplace(counters.levels - 1, counters.ways);
}

void CacheGroup::flush() {
  const std::size_t n = std::exchange(count_, 0);
  for (std::size_t k = 0; k < access_kinds; ++k) {
    const std::uint64_t times = std::exchange(again_[k], 0);
    if (times == 0) continue;
    counters_.kept[k].add(0, times);
    if (writes(static_cast<AccessKind>(k))) counters_.write_backs.add(0, times);
    if (sets_) sets_->again(static_cast<AccessKind>(k), times);
  }
  if (n == 0) return;
  for (std::size_t i = 0; i < n; ++i) lines_[i] = Line{pending_[i].number};
  stack_.touch(std::span(lines_).first(n), std::span(depths_).first(n));
  for (std::size_t i = 0; i < n; ++i) count(pending_[i], depths_[i]);
  if (!sets_) return;
  for (std::size_t i = 0; i < n; ++i) sets_->touch(pending_[i].line, pending_[i].number, pending_[i].kind);
}

void CacheGroup::count(const Touch& t, std::uint32_t depth) {
  const auto k = static_cast<std::size_t>(t.kind);
  const bool there = depth != cold_distance;
  if (there) {
    counters_.kept[k].add(depth, 1);
  } else if (!t.taken) {
    counters_.kept[k].add_cold(1);
  }
  const std::uint32_t greatest = epochs_.touch(Line{t.number}, depth, writes(t.kind));
  if (!writes(t.kind)) return;
  if (greatest != WriteEpochs::no_epoch) counters_.write_backs.add(greatest, 1);
  if (!there) return;
  if (t.shared) counters_.upgrades.add(depth, 1);
  // Caches that held the line since it was written need not ask again.
  if (!t.written) {
    counters_.msi_upgrades[0].add(depth, 1);
  } else if (greatest != WriteEpochs::no_epoch && greatest > depth) {
    counters_.msi_upgrades[0].add(depth, 1);
    counters_.msi_upgrades[1].add(greatest, 1);
  }
}

Loss CacheGroup::take(Line line, std::uint32_t number) {
  flush();
  Loss loss;
  loss.depth = stack_.depth(Line{number});
  counters_.taken.add(loss.depth, 1);
  stack_.take(Line{number});
  if (sets_) loss.set_depths = sets_->take(line, number);
  return loss;
}

std::uint32_t CacheGroup::clean(std::uint32_t number) {
  flush();
  const std::uint32_t greatest = epochs_.end(Line{number});
  // Larger caches write it back now, the others have done so before.
  ++counters_.always_written_back;
  return std::max(greatest, stack_.depth(Line{number}));
}

void CacheGroup::seed(std::span<const Known> known) {
  std::vector<Line> lines;
  lines.reserve(known.size());
  for (const Known& k : known) {
    lines.push_back(Line{k.number});
    if (k.greatest != WriteEpochs::no_epoch) {
      epochs_.touch(lines.back(), cold_distance, true);
      epochs_.touch(lines.back(), k.greatest, false);
    }
  }
  std::vector<std::uint32_t> depths(lines.size());
  stack_.touch(lines, depths);
  if (!sets_) return;
  for (const Known& k : known) sets_->touch(k.line, k.number, AccessKind::read);
}

void CacheGroup::finish(CoherentCounters& counters) const {
  if (epochs_.open() == 0) return;
  epochs_.for_each_open(stack_.recency_order(), [&](std::uint32_t greatest) { counters.write_backs.add(greatest, 1); });
}

std::uint64_t CacheGroup::memory_bytes() const {
  return sizeof *this + stack_.memory_bytes() + epochs_.memory_bytes() + (sets_ ? sets_->memory_bytes() : 0);
}

}  // namespace cachescape::analyze
