#include "simulate/cache.hpp"

#include <algorithm>
#include <bit>

namespace cachescape::simulate {
namespace {

using machine::Replacement;

/// Up to here looking at every way beats hashing.
constexpr std::uint64_t widest_searched = 32;

constexpr std::uint8_t srrip_inserted = 2;
constexpr std::uint8_t srrip_distant = 3;

}  // namespace

Cache::Cache(const machine::Level& level, SplitMix64 generator)
    : policy_(level.replacement),
      sets_(level.sets),
      ways_(static_cast<std::uint32_t>(level.ways)),
      lines_(level.lines(), ~std::uint64_t{0}),
      flags_(level.lines(), 0),
      residents_(level.sets, 0),
      generator_(generator) {
  if (std::has_single_bit(level.sets)) set_mask_ = level.sets - 1;
  const bool wide = level.ways > widest_searched;
  const bool ordered = policy_ == Replacement::lru || policy_ == Replacement::fifo;
  if (wide) {
    index_.emplace(level.lines());
  } else {
    hints_.resize(level.sets);
  }
  if (ordered && wide) {
    links_.emplace(level.lines());
    lists_.resize(level.sets);
  } else if (ordered) {
    stamps_.resize(level.lines());
  }
  if (policy_ == Replacement::plru) {
    leaves_ = std::bit_ceil(level.ways);
    tree_.resize(level.sets * leaves_);
  }
  if (policy_ == Replacement::srrip) intervals_.resize(level.lines());
}

Cache::Place Cache::choose(Line line) {
  const std::size_t set = set_of(line);
  const std::size_t base = set * ways_;
  if (residents_[set] < ways_) {
    const auto begin = flags_.begin() + static_cast<std::ptrdiff_t>(base);
    const auto free = std::find_if(begin, begin + ways_, [](std::uint8_t f) { return (f & resident) == 0; });
    return {static_cast<std::uint32_t>(free - flags_.begin()), std::nullopt};
  }
  const std::uint32_t slot = choose_victim(set);
  return {slot, Victim{Line{lines_[slot]}, {dirty(slot), writable(slot)}}};
}

std::uint32_t Cache::choose_victim(std::size_t set) {
  const auto base = static_cast<std::uint32_t>(set * ways_);
  switch (policy_) {
    case Replacement::lru:
    case Replacement::fifo: {
      if (links_) return lists_[set].oldest;
      // The way rides in the stamp's low bits: a minimum without branches, which nobody could predict.
      std::uint64_t oldest = stamps_[base] * widest_searched;
      for (std::uint32_t w = 1; w < ways_; ++w) oldest = std::min(oldest, stamps_[base + w] * widest_searched + w);
      return base + static_cast<std::uint32_t>(oldest % widest_searched);
    }
    case Replacement::random:
      return base + static_cast<std::uint32_t>(generator_.next() % ways_);
    case Replacement::plru:
      return plru_victim(set);
    case Replacement::srrip:
      return srrip_victim(set);
  }
  return base;
}

void Cache::place(std::uint32_t slot, Line line, LineState state) {
  const std::size_t set = set_of(line);
  lines_[slot] = line.value;
  flags_[slot] =
      static_cast<std::uint8_t>(resident | (state.dirty ? dirty_bit : 0) | (state.writable ? writable_bit : 0));
  ++residents_[set];
  if (index_) index_->insert(line.value, slot);
  if (links_) links_->push_newest(lists_[set], slot);
  if (!stamps_.empty()) stamps_[slot] = ++clock_;
  if (policy_ == Replacement::plru) point_away(slot);
  if (policy_ == Replacement::srrip) intervals_[slot] = srrip_inserted;
}

void Cache::remove(std::uint32_t slot) {
  const std::size_t set = set_of_slot(slot);
  flags_[slot] = 0;
  --residents_[set];
  if (index_) index_->erase(lines_[slot]);
  if (links_) links_->remove(lists_[set], slot);
}

void Cache::point_away(std::uint32_t slot) {
  const std::size_t set = set_of_slot(slot);
  std::uint8_t* const tree = tree_.data() + set * leaves_;
  for (std::size_t node = leaves_ + (slot - set * ways_); node > 1; node /= 2) tree[node / 2] = node % 2 == 0 ? 1 : 0;
}

std::uint32_t Cache::plru_victim(std::size_t set) const {
  const std::uint8_t* const tree = tree_.data() + set * leaves_;
  std::size_t node = 1;
  for (std::size_t width = leaves_; width > 1; width /= 2) {
    const std::size_t right = 2 * node + 1;
    // The leftmost leaf below `right`, counted in ways.
    const std::size_t first_way = right * (width / 2) - leaves_;
    node = tree[node] != 0 && first_way < ways_ ? right : 2 * node;
  }
  return static_cast<std::uint32_t>(set * ways_ + (node - leaves_));
}

std::uint32_t Cache::srrip_victim(std::size_t set) {
  const auto begin = intervals_.begin() + static_cast<std::ptrdiff_t>(set * ways_);
  const auto end = begin + ways_;
  const std::uint8_t age = static_cast<std::uint8_t>(srrip_distant - *std::max_element(begin, end));
  for (auto it = begin; it != end; ++it) *it = static_cast<std::uint8_t>(*it + age);
  return static_cast<std::uint32_t>(std::find(begin, end, srrip_distant) - intervals_.begin());
}

}  // namespace cachescape::simulate
