#include "simulate/naive_cache.hpp"

#include <bit>

namespace cachescape::simulate {

using machine::Replacement;

NaiveCache::NaiveCache(const machine::Level& level, SplitMix64 generator)
    : level_(level), generator_(generator), leaves_(std::bit_ceil(level.ways)) {}

NaiveCache::Set& NaiveCache::set_of(Line line) {
  Set& set = sets_[line.value % level_.sets];
  if (set.ways.empty()) {
    set.ways.resize(level_.ways);
    set.points_right.resize(leaves_, false);
  }
  return set;
}

std::optional<std::size_t> NaiveCache::way_of(const Set& set, Line line) const {
  for (std::size_t way = 0; way < set.ways.size(); ++way) {
    if (set.ways[way] && set.ways[way]->line == line) return way;
  }
  return std::nullopt;
}

ResidentLine* NaiveCache::find(Line line) {
  Set& set = set_of(line);
  const auto way = way_of(set, line);
  return way ? &*set.ways[*way] : nullptr;
}

void NaiveCache::use(Line line) {
  Set& set = set_of(line);
  const std::size_t way = *way_of(set, line);
  set.ways[way]->last_use = ++clock_;
  set.ways[way]->prediction = 0;
  point_away(set, way);
}

std::optional<Line> NaiveCache::choose_victim(Line line) {
  Set& set = set_of(line);
  for (const auto& way : set.ways) {
    if (!way) return std::nullopt;
  }
  return set.ways[victim_way(set)]->line;
}

void NaiveCache::insert(Line line, bool dirty, bool writable) {
  Set& set = set_of(line);
  std::size_t way = 0;
  while (set.ways[way]) ++way;
  ++clock_;
  set.ways[way] = ResidentLine{
      .line = line, .dirty = dirty, .writable = writable, .last_use = clock_, .inserted = clock_, .prediction = 2};
  point_away(set, way);
}

void NaiveCache::remove(Line line) {
  Set& set = set_of(line);
  set.ways[*way_of(set, line)].reset();
}

void NaiveCache::point_away(Set& set, std::size_t way) const {
  for (std::size_t node = leaves_ + way; node > 1; node /= 2) {
    const bool in_left_half = node % 2 == 0;
    set.points_right[node / 2] = in_left_half;
  }
}

std::size_t NaiveCache::victim_way(Set& set) {
  std::size_t victim = 0;
  switch (level_.replacement) {
    case Replacement::lru:
      for (std::size_t way = 1; way < set.ways.size(); ++way) {
        if (set.ways[way]->last_use < set.ways[victim]->last_use) victim = way;
      }
      return victim;
    case Replacement::fifo:
      for (std::size_t way = 1; way < set.ways.size(); ++way) {
        if (set.ways[way]->inserted < set.ways[victim]->inserted) victim = way;
      }
      return victim;
    case Replacement::random:
      return generator_.next() % level_.ways;
    case Replacement::plru:
      return plru_victim(set);
    case Replacement::srrip:
      return srrip_victim(set);
  }
  return victim;
}

std::size_t NaiveCache::plru_victim(const Set& set) const {
  std::size_t node = 1;
  std::size_t first_leaf = 0;
  for (std::size_t width = leaves_; width > 1; width /= 2) {
    const std::size_t first_leaf_of_right_half = first_leaf + width / 2;
    if (set.points_right[node] && first_leaf_of_right_half < level_.ways) {
      node = 2 * node + 1;
      first_leaf = first_leaf_of_right_half;
    } else {
      node = 2 * node;
    }
  }
  return first_leaf;
}

std::size_t NaiveCache::srrip_victim(Set& set) const {
  while (true) {
    for (std::size_t way = 0; way < set.ways.size(); ++way) {
      if (set.ways[way]->prediction == 3) return way;
    }
    for (auto& way : set.ways) ++way->prediction;
  }
}

}  // namespace cachescape::simulate
