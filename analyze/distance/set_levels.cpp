#include "analyze/distance/set_levels.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "analyze/distance/set_pages.hpp"
#include "analyze/distance/set_state.hpp"
#include "analyze/distance/set_tags.hpp"

namespace cachescape::analyze::sets {
namespace {

using FineTag = std::uint16_t;

// Without a skew the sets of one line at all levels share the same few sets of the L1 cache.
constexpr std::size_t skew = 256;

constexpr std::size_t level_tags(unsigned level, unsigned capacity) { return std::size_t{capacity} << level; }

}  // namespace

template <class Tag>
Levels<Tag>::Levels(unsigned min_level, unsigned max_level, unsigned capacity, unsigned cut)
    : capacity_(capacity), state_(std::make_unique<GridState<Tag>>()) {
  state_->min_level = min_level;
  state_->max_level = max_level;
  state_->cut = std::clamp(cut, min_level, max_level + 1);
  std::size_t offset[max_levels] = {};
  std::size_t end = 0;
  for (unsigned level = min_level; level <= max_level; ++level) {
    offset[level] = end;
    end += level_tags(level, capacity) * (level < state_->cut ? sizeof(Tag) : sizeof(FineTag)) + skew;
  }
  pages_.emplace_back(end);
  for (unsigned level = min_level; level <= max_level; ++level) {
    state_->base[level] = pages_.front().data() + offset[level];
  }
}

template <class Tag>
void Levels<Tag>::widen(unsigned cut) {
  GridState<Tag>& s = *state_;
  for (; s.cut < cut && s.cut <= s.max_level; ++s.cut) {
    if (s.cut < s.min_level) continue;
    const std::size_t count = level_tags(s.cut, capacity_);
    ZeroedPages pages(count * sizeof(Tag) + skew * s.cut);
    const auto* const from = reinterpret_cast<const FineTag*>(s.base[s.cut]);
    std::byte* const base = pages.data() + skew * s.cut;
    auto* const to = reinterpret_cast<Tag*>(base);
    for (std::size_t i = 0; i < count; ++i) {
      if (from[i] != 0) to[i] = static_cast<Tag>(from[i]) << s.cut | static_cast<Tag>(i / capacity_);
    }
    s.base[s.cut] = base;
    pages_.push_back(std::move(pages));
  }
}

template <class Tag>
std::uint64_t Levels<Tag>::memory_bytes() const {
  std::uint64_t bytes = sizeof(GridState<Tag>);
  for (const ZeroedPages& pages : pages_) bytes += pages.size();
  return bytes;
}

template class Levels<std::uint32_t>;
template class Levels<std::uint64_t>;

unsigned first_compact_level(std::size_t regions, unsigned region_log2) {
  const unsigned number_bits = static_cast<unsigned>(std::bit_width(regions));
  return region_log2 + number_bits < 16 ? 0 : region_log2 + number_bits - 16;
}

Levels<std::uint64_t> widened(const Levels<std::uint32_t>& from, const RegionTags& tags, unsigned capacity) {
  const GridState<std::uint32_t>& narrow = from.state();
  Levels<std::uint64_t> to(narrow.min_level, narrow.max_level, capacity, narrow.max_level + 1);
  GridState<std::uint64_t>& wide = to.state();
  const auto convert = [&](std::uint32_t tag) { return tag == 0 ? 0 : wide_tag(tags.line(tag)); };
  for (unsigned level = narrow.min_level; level <= narrow.max_level; ++level) {
    const std::size_t sets = std::size_t{1} << level;
    const auto* const source = reinterpret_cast<const std::uint32_t*>(narrow.base[level]);
    auto* const target = reinterpret_cast<std::uint64_t*>(wide.base[level]);
    for (std::size_t set = 0; set < sets; ++set) {
      // Complementing a line complements its set index.
      const std::size_t wide_set = sets - 1 - set;
      for (unsigned way = 0; way < capacity; ++way) {
        target[wide_set * capacity + way] = convert(source[set * capacity + way]);
      }
    }
  }
  wide.absent_guess = narrow.absent_guess;
  wide.counters = narrow.counters;
  wide.counter_stride = narrow.counter_stride;
  return to;
}

}  // namespace cachescape::analyze::sets
