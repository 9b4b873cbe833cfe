#include "analyze/coherence/hole_sets.hpp"

namespace cachescape::analyze {
namespace {

// The first sets of all levels would otherwise share the sets of the processor's own cache.
constexpr std::size_t skew_bytes = 256;

HoleSetLayout layout_of(unsigned levels, unsigned ways) {
  HoleSetLayout layout;
  layout.levels = levels;
  layout.ways = ways;
  layout.slots =
      (ways + HoleSetLayout::slots_together - 1) / HoleSetLayout::slots_together * HoleSetLayout::slots_together;
  return layout;
}

std::size_t bytes_of(unsigned levels, unsigned slots) {
  return ((std::size_t{1} << levels) - 1) * slots * (sizeof(std::uint32_t) + 1) + levels * skew_bytes;
}

}  // namespace

HoleSets::HoleSets(unsigned max_log2_sets, unsigned ways, Path path)
    : layout_(layout_of(max_log2_sets + 1, ways)),
      walk_(path == Path::automatic && hole_set_walk_has_avx2() ? avx2_hole_set_walk() : portable_hole_set_walk()),
      depths_(std::size_t{layout_.levels} * access_kinds * (ways + 1)) {
  memory_ = Mapping(bytes_of(layout_.levels, layout_.slots), Mapping::Pages::small);
  char* next = memory_.as<char>();
  for (unsigned level = 0; level < layout_.levels; ++level) {
    const std::size_t slots = (std::size_t{1} << level) * layout_.slots;
    layout_.level[level].numbers = reinterpret_cast<std::uint32_t*>(next);
    layout_.level[level].ranks = reinterpret_cast<std::uint8_t*>(next + slots * sizeof(std::uint32_t));
    next += slots * (sizeof(std::uint32_t) + 1) + skew_bytes;
  }
}

HoleSets::Depths HoleSets::take(Line line, std::uint32_t number) {
  Depths depths{};
  walk_.take(layout_, line.value, number, depths.data());
  return depths;
}

std::array<std::vector<std::uint64_t>, access_kinds> HoleSets::hits(unsigned level) const {
  std::array<std::vector<std::uint64_t>, access_kinds> all;
  for (std::size_t k = 0; k < access_kinds; ++k) {
    const auto begin = depths_.begin() + static_cast<std::ptrdiff_t>((level * access_kinds + k) * (layout_.ways + 1));
    all[k].assign(begin, begin + layout_.ways);
    for (unsigned l = 0; l <= level; ++l) all[k][0] += last_from_[k][l];
  }
  return all;
}

std::uint64_t HoleSets::memory_bytes() const { return memory_.bytes() + depths_.size() * sizeof(std::uint64_t); }

}  // namespace cachescape::analyze
