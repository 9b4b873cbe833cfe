#include "analyze/coherence/hole_sets.hpp"

#include <algorithm>

namespace cachescape::analyze {
namespace {

// The first sets of all levels would otherwise share the sets of the processor's own cache.
constexpr std::size_t skew_words = 64;

std::size_t words_of(unsigned levels, unsigned ways) {
  return ((std::size_t{1} << levels) - 1) * ways + levels * skew_words;
}

}  // namespace

HoleSets::HoleSets(unsigned max_log2_sets, unsigned ways)
    : levels_(max_log2_sets + 1),
      ways_(ways),
      memory_(words_of(levels_, ways) * sizeof(std::uint32_t), Mapping::Pages::small),
      hits_(std::size_t{levels_} * access_kinds * ways) {
  std::uint32_t* next = memory_.as<std::uint32_t>();
  for (unsigned level = 0; level < levels_; ++level) {
    tags_.push_back(next);
    next += (std::size_t{1} << level) * ways + skew_words;
  }
}

unsigned HoleSets::touch_at(unsigned level, Line line, std::uint32_t number) {
  std::uint32_t* const set = set_of(level, line);
  if (set[0] == number) return 0;
  unsigned depth = 0;
  unsigned first_hole = ways_;
  for (; depth < ways_ && set[depth] != number; ++depth) {
    if (set[depth] == hole && first_hole == ways_) first_hole = depth;
    // Nothing was ever deeper.
    if (set[depth] == 0) {
      std::copy_backward(set, set + std::min(first_hole, depth), set + std::min(first_hole, depth) + 1);
      set[0] = number;
      return ways_;
    }
  }
  const unsigned filled = std::min({first_hole, depth, ways_ - 1});
  if (first_hole < depth && depth < ways_) set[depth] = hole;
  std::copy_backward(set, set + filled, set + filled + 1);
  set[0] = number;
  return depth;
}

HoleSets::Depths HoleSets::take(Line line, std::uint32_t number) {
  Depths depths{};
  for (unsigned level = 0; level < levels_; ++level) {
    std::uint32_t* const set = set_of(level, line);
    std::uint32_t* const at = std::find(set, set + ways_, number);
    depths[level] = static_cast<std::uint8_t>(at - set);
    if (at != set + ways_) *at = hole;
  }
  return depths;
}

std::array<std::vector<std::uint64_t>, access_kinds> HoleSets::hits(unsigned level) const {
  std::array<std::vector<std::uint64_t>, access_kinds> all;
  for (std::size_t k = 0; k < access_kinds; ++k) {
    const auto begin = hits_.begin() + static_cast<std::ptrdiff_t>((level * access_kinds + k) * ways_);
    all[k].assign(begin, begin + ways_);
    for (unsigned l = 0; l <= level; ++l) all[k][0] += last_from_[k][l];
  }
  return all;
}

std::uint64_t HoleSets::memory_bytes() const { return memory_.bytes() + hits_.size() * sizeof(std::uint64_t); }

}  // namespace cachescape::analyze
