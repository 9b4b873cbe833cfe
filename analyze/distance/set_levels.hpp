// The sets of all power-of-two set counts: where they lie in memory, and how they change their
// representation when tags need more bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "analyze/distance/set_pages.hpp"
#include "analyze/distance/set_state.hpp"
#include "analyze/distance/set_tags.hpp"

namespace cachescape::analyze::sets {

/// Owns the memory behind a GridState. Not thread-safe.
template <class Tag>
class Levels {
 public:
  /// Levels min_level … max_level of `capacity` ways, all empty. Levels from `cut` hold 16-bit tags.
  Levels(unsigned min_level, unsigned max_level, unsigned capacity, unsigned cut);

  GridState<Tag>& state() { return *state_; }
  const GridState<Tag>& state() const { return *state_; }
  /// Makes the levels below `cut` hold whole tags.
  void widen(unsigned cut);
  std::uint64_t memory_bytes() const;

 private:
  unsigned capacity_;
  std::vector<ZeroedPages> pages_;
  std::unique_ptr<GridState<Tag>> state_;
};

/// The first level at which 16 bits hold the tags of that many regions.
unsigned first_compact_level(std::size_t regions, unsigned region_log2);

/// The same sets with 64-bit tags (wide_tag). `from` must hold whole tags at all levels.
Levels<std::uint64_t> widened(const Levels<std::uint32_t>& from, const RegionTags& tags, unsigned capacity);

/// Lines as tags when 32 bits do not do: never 0 but for line 2^64 − 1.
constexpr std::uint64_t wide_tag(std::uint64_t line) { return ~line; }

extern template class Levels<std::uint32_t>;
extern template class Levels<std::uint64_t>;

}  // namespace cachescape::analyze::sets
