// Sharing by definition: caches of every size, one after the other, that take lines from each other. For tests, which
// need profiles that are true.
#pragma once

#include <algorithm>
#include <bitset>
#include <map>
#include <set>
#include <span>
#include <vector>

#include "cachescape/access.hpp"
#include "cachescape/sharing.hpp"

namespace cachescape::profile {

/// What all caches of one size come to.
struct NaiveSharingCounts {
  KindCounts touches{};
  KindCounts hits{};
  KindCounts cold{};
  std::array<std::array<std::uint64_t, sharing_kinds>, access_kinds> lost{};
  std::uint64_t taken = 0;
  std::uint64_t remote = 0;
  std::uint64_t upgrades = 0;
  std::uint64_t msi_upgrades = 0;
  std::uint64_t write_backs = 0;
};

/// LRU caches that serve `degree` threads each. The same accesses befall caches without end beside them, which know
/// what was taken from whom.
class NaiveCaches {
 public:
  NaiveCaches(std::uint32_t degree, LineSize line, std::uint64_t sets, std::uint64_t ways)
      : degree_(degree), line_(line), sets_(sets), ways_(ways) {}

  NaiveSharingCounts run(std::span<const Access> accesses) {
    for (const Access& a : accesses) {
      const std::size_t thread = threads_.try_emplace(a.thread, threads_.size()).first->second;
      const std::size_t cache = thread / degree_;
      if (cache >= caches_.size()) caches_.resize(cache + 1);
      const Touches touches = touches_of(a.address, a.size, line_);
      for (std::uint64_t l = touches.first.value; l <= touches.last.value; ++l) {
        const std::uint64_t start = line_.first_byte(Line{l}).value;
        const std::uint64_t first = std::max(a.address.value, start) - start;
        const std::uint64_t last = std::min(last_byte(a.address, a.size).value - start, line_.bytes().value - 1);
        LineBytes bytes;
        for (std::uint64_t b = first; b <= last; ++b) bytes.set(b);
        touch(cache, Line{l}, bytes, a.kind);
      }
    }
    return counts_;
  }
  std::size_t caches() const { return caches_.size(); }

 private:
  using LineBytes = std::bitset<128>;  ///< of lines up to that size
  struct Held {
    Line line;
    bool dirty = false;
    bool own = false;  ///< written since it came, and read by no other cache since (MSI's modified)
  };
  /// A line that was taken from a cache.
  struct Taken {
    bool was_held = false;  ///< by the cache of this size, not only by the one without end
    LineBytes written;
  };
  struct Cache {
    std::map<std::uint64_t, std::vector<Held>> sets;  ///< the most recently used first
    std::set<Line> endless;
    std::map<Line, Taken> taken;
  };

  Held* find(Cache& cache, Line line) {
    auto& set = cache.sets[line.value % sets_];
    const auto found = std::ranges::find(set, line, &Held::line);
    return found == set.end() ? nullptr : &*found;
  }

  void touch(std::size_t number, Line line, const LineBytes& bytes, AccessKind kind) {
    const auto k = static_cast<std::size_t>(kind);
    Cache& cache = caches_[number];
    ++counts_.touches[k];
    Held* held = find(cache, line);
    bool others_hold = false;
    for (Cache& other : caches_) {
      if (&other == &cache) continue;
      others_hold = others_hold || other.endless.contains(line);
      Held* theirs = find(other, line);
      if (theirs == nullptr) continue;
      counts_.remote += theirs->dirty ? 1 : 0;
      counts_.write_backs += theirs->dirty ? 1 : 0;
      theirs->dirty = theirs->own = false;
    }
    if (const auto taken = cache.taken.find(line); taken != cache.taken.end()) {
      const bool truly = (taken->second.written & bytes).any();
      if (taken->second.was_held) ++counts_.lost[k][truly ? 0 : 1];
      cache.taken.erase(taken);
    } else if (held != nullptr) {
      ++counts_.hits[k];
    } else if (!cache.endless.contains(line)) {
      ++counts_.cold[k];
    }
    if (writes(kind) && held != nullptr) {
      counts_.upgrades += others_hold ? 1 : 0;
      counts_.msi_upgrades += held->own ? 0 : 1;
    }
    use(cache, line, writes(kind));
    if (writes(kind)) take_from_others(cache, line, bytes);
  }

  void use(Cache& cache, Line line, bool write) {
    auto& set = cache.sets[line.value % sets_];
    Held now{line, write, write};
    if (const auto found = std::ranges::find(set, line, &Held::line); found != set.end()) {
      now.dirty = now.dirty || found->dirty;
      now.own = now.own || found->own;
      set.erase(found);
    }
    set.insert(set.begin(), now);
    cache.endless.insert(line);
    if (set.size() <= ways_) return;
    counts_.write_backs += set.back().dirty ? 1 : 0;
    set.pop_back();
  }

  void take_from_others(Cache& cache, Line line, const LineBytes& bytes) {
    for (Cache& other : caches_) {
      if (&other == &cache) continue;
      if (other.endless.erase(line) > 0) {
        Held* theirs = find(other, line);
        counts_.taken += theirs != nullptr ? 1 : 0;
        other.taken[line] = {theirs != nullptr, {}};
        std::erase_if(other.sets[line.value % sets_], [&](const Held& h) { return h.line == line; });
      }
      if (const auto taken = other.taken.find(line); taken != other.taken.end()) {
        taken->second.written |= bytes;
      }
    }
  }

  std::uint32_t degree_;
  LineSize line_;
  std::uint64_t sets_;
  std::uint64_t ways_;
  std::map<ThreadId, std::size_t> threads_;
  std::vector<Cache> caches_;
  NaiveSharingCounts counts_;
};

/// Counts how much more caches of one line more have of something.
class NaiveSteps {
 public:
  void next(std::uint64_t lines, std::uint64_t count) {
    if (count > last_) grown_.push_back({lines - 1, count - last_});
    if (count < last_) shrunk_.push_back({lines - 1, last_ - count});
    last_ = count;
  }
  const std::vector<Bin>& grown() const { return grown_; }
  const std::vector<Bin>& shrunk() const { return shrunk_; }

 private:
  std::uint64_t last_ = 0;
  std::vector<Bin> grown_;
  std::vector<Bin> shrunk_;
};

struct NaiveGrid {
  LineSize line{6};
  std::vector<std::uint64_t> sets;
  std::uint32_t ways = 0;
};

inline CoherentSets naive_coherent_sets(std::span<const Access> accesses, std::uint32_t degree, std::uint64_t sets,
                                        const NaiveGrid& grid) {
  CoherentSets counts;
  counts.sets = sets;
  NaiveSharingCounts before;
  for (std::uint64_t ways = 1; ways <= grid.ways; ++ways) {
    const NaiveSharingCounts now = NaiveCaches(degree, grid.line, sets, ways).run(accesses);
    for (std::size_t k = 0; k < access_kinds; ++k) {
      counts.kept[k].push_back(now.hits[k] - before.hits[k]);
      for (std::size_t s = 0; s < sharing_kinds; ++s) counts.lost[k][s].push_back(now.lost[k][s] - before.lost[k][s]);
    }
    before = now;
  }
  return counts;
}

/// O(accesses × lines²).
inline CoherentProfile naive_coherent_profile(std::span<const Access> accesses, std::uint32_t degree,
                                              std::uint64_t lines, const NaiveGrid& grid) {
  CoherentProfile p;
  p.degree = degree;
  p.line = grid.line;
  p.ways = grid.ways;
  std::array<NaiveSteps, access_kinds> hits;
  std::array<std::array<NaiveSteps, sharing_kinds>, access_kinds> lost;
  NaiveSteps taken, remote, upgrades, msi_upgrades;
  std::uint64_t written_back = 0;  // writes whose data caches of this size write back
  for (std::uint64_t size = 1; size <= lines; ++size) {
    NaiveCaches caches(degree, grid.line, 1, size);
    const NaiveSharingCounts now = caches.run(accesses);
    p.caches = static_cast<std::uint32_t>(caches.caches());
    for (std::size_t k = 0; k < access_kinds; ++k) {
      p.kinds[k].kept.cold = now.cold[k];
      hits[k].next(size, now.hits[k]);
      for (std::size_t s = 0; s < sharing_kinds; ++s) lost[k][s].next(size, now.lost[k][s]);
    }
    taken.next(size, now.taken);
    remote.next(size, now.remote);
    upgrades.next(size, now.upgrades);
    msi_upgrades.next(size, now.msi_upgrades);
    if (size == 1) written_back = now.touches[1] + now.touches[2];
    if (now.write_backs < written_back) p.write_backs.push_back({size - 1, written_back - now.write_backs});
    written_back = now.write_backs;
  }
  constexpr std::uint64_t any_size = std::uint64_t{1} << 32;
  if (written_back > 0) p.write_backs.push_back({any_size, written_back});
  for (std::size_t k = 0; k < access_kinds; ++k) {
    p.kinds[k].kept.bins = hits[k].grown();
    for (std::size_t s = 0; s < sharing_kinds; ++s) p.kinds[k].lost[s] = lost[k][s].grown();
  }
  p.taken = taken.grown();
  p.remote = remote.grown();
  p.upgrades = upgrades.grown();
  p.msi_upgrades = {msi_upgrades.grown(), msi_upgrades.shrunk()};
  for (const std::uint64_t sets : grid.sets) p.sets.push_back(naive_coherent_sets(accesses, degree, sets, grid));
  return p;
}

}  // namespace cachescape::profile
