#include "analyze/distance/set_distance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "analyze/distance/set_levels.hpp"
#include "analyze/distance/set_pages.hpp"
#include "analyze/distance/set_state.hpp"
#include "analyze/distance/set_tags.hpp"

namespace cachescape::analyze {
namespace {

using namespace sets;

// Repeats are spread over this many counters per group: successive additions to one and the same would
// wait for each other.
constexpr std::size_t repeat_banks = 4;
// Levels below this start with whole tags: they are small, and 31 regions are soon seen.
constexpr unsigned first_cut = 5;

}  // namespace

Result<void> check(const SetGrid& grid) {
  if (grid.max_log2_sets > SetGrid::highest_log2_sets) {
    return failure(ErrorKind::usage, fmt::format("the largest set count is 2^{}, expected at most 2^{}",
                                                 grid.max_log2_sets, SetGrid::highest_log2_sets));
  }
  if (grid.min_log2_sets > grid.max_log2_sets) {
    return failure(ErrorKind::usage, fmt::format("the smallest set count 2^{} is above the largest, 2^{}",
                                                 grid.min_log2_sets, grid.max_log2_sets));
  }
  if (grid.ways < 1 || grid.ways > SetGrid::highest_ways) {
    return failure(ErrorKind::usage,
                   fmt::format("the number of ways is {}, expected 1 to {}", grid.ways, SetGrid::highest_ways));
  }
  for (const std::uint64_t sets : grid.other_set_counts) {
    if (sets < 1 || sets > SetGrid::highest_other_sets) {
      return failure(ErrorKind::usage, fmt::format("the set count {} was asked for, expected 1 to {}", sets,
                                                   SetGrid::highest_other_sets));
    }
  }
  return {};
}

class SetDistances::Engine {
 public:
  Engine(SetGrid grid, std::size_t groups, SetPath path)
      : grid_(std::move(grid)),
        groups_(groups),
        capacity_(grid_.ways <= 16 ? 16 : 32),
        kernels_(path != SetPath::portable && avx2_available() ? avx2_kernels(capacity_) : portable_kernels(capacity_)),
        stride_(CounterLayout::size(grid_.max_log2_sets + 1, capacity_)),
        counters_(groups * stride_),
        repeats_(groups * repeat_banks),
        tags_(std::max(16u, grid_.max_log2_sets)),
        narrow_(std::in_place, grid_.min_log2_sets, grid_.max_log2_sets, capacity_, lowest_cut()),
        narrow_touches_(std::make_unique<TouchList<std::uint32_t>>()) {
    GridState<std::uint32_t>& state = narrow_->state();
    state.counters = counters_.data();
    state.counter_stride = stride_;
    for (const std::uint64_t sets : grid_.other_set_counts) singles_.emplace_back(sets, capacity_, groups);
  }

  void process(std::span<const Line> lines, std::span<const std::uint16_t> groups,
               std::span<const std::uint32_t> weights) {
    while (!lines.empty()) {
      const std::size_t want = std::min(lines.size(), chunk_touches);
      const Chunk chunk{lines.first(want), groups.empty() ? groups : groups.first(want),
                        weights.empty() ? weights : weights.first(want)};
      const std::size_t used = narrow_ ? process_narrow(chunk) : process_wide(chunk);
      lines = lines.subspan(used);
      if (!groups.empty()) groups = groups.subspan(used);
      if (!weights.empty()) weights = weights.subspan(used);
    }
  }

  std::vector<std::uint64_t> histogram(std::uint64_t sets, std::uint16_t group) const {
    std::vector<std::uint64_t> counts;
    if (std::has_single_bit(sets)) {
      const auto level = static_cast<unsigned>(std::countr_zero(sets));
      if (level >= grid_.min_log2_sets && level <= grid_.max_log2_sets) counts = level_hits(level, group);
    }
    for (auto single = singles_.begin(); counts.empty() && single != singles_.end(); ++single) {
      if (single->sets == sets) counts = single_hits(*single, group);
    }
    if (counts.empty()) return counts;
    counts.resize(grid_.ways);
    counts.push_back(touches(group) - std::reduce(counts.begin(), counts.end()));
    return counts;
  }

  std::uint64_t touches(std::uint16_t group) const {
    return near(group) + counters_[group * stride_ + CounterLayout::far];
  }

  std::uint64_t memory_bytes() const {
    std::uint64_t bytes =
        sizeof(Engine) + (counters_.capacity() + repeats_.capacity()) * sizeof(std::uint64_t) + tags_.memory_bytes();
    if (narrow_) bytes += narrow_->memory_bytes() + sizeof *narrow_touches_;
    if (wide_) bytes += wide_->memory_bytes() + sizeof *wide_touches_;
    for (const Single& single : singles_)
      bytes += single.pages.size() + single.counters.capacity() * sizeof(std::uint64_t);
    return bytes;
  }

  const SetGrid& grid() const { return grid_; }
  std::size_t groups() const { return groups_; }

 private:
  struct Chunk {
    std::span<const Line> lines;
    std::span<const std::uint16_t> groups;
    std::span<const std::uint32_t> weights;
  };

  /// One set count outside the grid.
  struct Single {
    Single(std::uint64_t set_count, unsigned capacity, std::size_t groups)
        : sets(set_count),
          pages(set_count * capacity * sizeof(std::uint32_t)),
          counters(groups * CounterLayout::hits_row(capacity)) {}

    std::uint64_t sets;
    ZeroedPages pages;
    std::vector<std::uint64_t> counters;
  };

  unsigned lowest_cut() const { return tags_.region_log2() - 16 + first_cut; }

  std::size_t process_narrow(const Chunk& chunk) {
    TouchList<std::uint32_t>& list = *narrow_touches_;
    const std::size_t used = gather(chunk, list, [this](std::uint64_t line) { return tags_.tag(line); });
    narrow_->widen(std::max(lowest_cut(), first_compact_level(tags_.regions(), tags_.region_log2())));
    kernels_.grid_narrow(narrow_->state(), list);
    for (Single& single : singles_) {
      SingleState<std::uint32_t> state{single.sets, reinterpret_cast<std::uint32_t*>(single.pages.data()),
                                       single.counters.data()};
      kernels_.single_narrow(state, list);
    }
    if (used < chunk.lines.size()) become_wide();
    return used;
  }

  std::size_t process_wide(const Chunk& chunk) {
    TouchList<std::uint64_t>& list = *wide_touches_;
    gather(chunk, list, wide_tag);
    kernels_.grid_wide(wide_->state(), list);
    for (Single& single : singles_) {
      SingleState<std::uint64_t> state{single.sets, reinterpret_cast<std::uint64_t*>(single.pages.data()),
                                       single.counters.data()};
      kernels_.single_wide(state, list);
    }
    return chunk.lines.size();
  }

  template <class Tag, class TagOf>
  std::size_t gather(const Chunk& chunk, TouchList<Tag>& list, TagOf tag_of) {
    if (chunk.groups.empty()) {
      return chunk.weights.empty() ? gather_as<false, false>(chunk, list, tag_of)
                                   : gather_as<false, true>(chunk, list, tag_of);
    }
    return chunk.weights.empty() ? gather_as<true, false>(chunk, list, tag_of)
                                 : gather_as<true, true>(chunk, list, tag_of);
  }

  // Counts every touch and lists those of another line than the touch before. Returns how many were taken:
  // all, or those before the first line that has no 32-bit tag.
  template <bool Grouped, bool Weighted, class Tag, class TagOf>
  std::size_t gather_as(const Chunk& chunk, TouchList<Tag>& list, TagOf tag_of) {
    const bool keep_lines = !singles_.empty();
    const std::size_t groups = groups_;
    std::uint64_t* const repeats = repeats_.data();
    std::uint64_t previous = previous_;
    std::size_t count = 0;
    std::size_t i = 0;
    for (; i < chunk.lines.size(); ++i) {
      const std::uint64_t line = chunk.lines[i].value;
      const std::uint16_t group = Grouped ? chunk.groups[i] : std::uint16_t{0};
      const std::uint32_t weight = Weighted ? chunk.weights[i] : 1;
      if (line == previous && (count != 0 || any_)) {
        repeats[(i % repeat_banks) * groups + group] += weight;
        continue;
      }
      const Tag tag = tag_of(line);
      list.tag[count] = tag;
      list.group[count] = group;
      list.weight[count] = weight;
      if (keep_lines) list.line[count] = line;
      if (tag == 0) [[unlikely]] {
        if constexpr (sizeof(Tag) == sizeof(std::uint32_t)) break;
        if (!zero_tag_seen_) list.weight[count] = count_first_zero_tag(group, weight);
      }
      ++count;
      previous = line;
    }
    list.count = count;
    previous_ = previous;
    any_ = any_ || count != 0;
    return i;
  }

  // A tag of 0 is found where a set has room, as if its line had been there. Its first touch is therefore
  // counted here, as too far for every set count, and made with weight 0; from then on the tag is right
  // wherever it is found first.
  std::uint32_t count_first_zero_tag(std::uint16_t group, std::uint32_t weight) {
    zero_tag_seen_ = true;
    counters_[group * stride_ + CounterLayout::far] += weight;
    for (Single& single : singles_) {
      const std::size_t row = CounterLayout::hits_row(capacity_);
      single.counters[group * row + capacity_] += weight;
    }
    return 0;
  }

  void become_wide() {
    narrow_->widen(grid_.max_log2_sets + 1);
    wide_.emplace(widened(*narrow_, tags_, capacity_));
    for (Single& single : singles_) {
      const std::size_t count = single.sets * capacity_;
      ZeroedPages pages(count * sizeof(std::uint64_t));
      const auto* const from = reinterpret_cast<const std::uint32_t*>(single.pages.data());
      auto* const to = reinterpret_cast<std::uint64_t*>(pages.data());
      std::transform(from, from + count, to,
                     [this](std::uint32_t tag) { return tag == 0 ? 0 : wide_tag(tags_.line(tag)); });
      single.pages = std::move(pages);
    }
    narrow_.reset();
    narrow_touches_.reset();
    tags_ = RegionTags(tags_.region_log2());
    wide_touches_ = std::make_unique<TouchList<std::uint64_t>>();
  }

  std::uint64_t near(std::uint16_t group) const {
    std::uint64_t sum = counters_[group * stride_ + CounterLayout::near];
    for (std::size_t bank = 0; bank < repeat_banks; ++bank) sum += repeats_[bank * groups_ + group];
    return sum;
  }

  /// Touches by distance below the capacity.
  std::vector<std::uint64_t> level_hits(unsigned level, std::uint16_t group) const {
    const std::uint64_t* const counters = counters_.data() + group * stride_;
    const std::uint64_t* const hits = counters + CounterLayout::hits + level * CounterLayout::hits_row(capacity_);
    std::vector<std::uint64_t> counts(hits, hits + capacity_);
    // Of the repeats and front hits, those at a distance of at least d agree, in their d-th largest agreement,
    // on more levels than `level`.
    std::uint64_t at_least = near(group);
    for (unsigned d = 0; d < front_lines; ++d) {
      std::uint64_t beyond = 0;
      if (d + 1 < front_lines) {
        const std::uint64_t* const row = counters + d * CounterLayout::front_row;
        beyond = std::reduce(row + level + 1, row + CounterLayout::front_row);
      }
      counts[d] += at_least - beyond;
      at_least = beyond;
    }
    const std::uint64_t* const stop = counters + CounterLayout::stop;
    counts[0] += std::reduce(stop, stop + level + 1);
    return counts;
  }

  std::vector<std::uint64_t> single_hits(const Single& single, std::uint16_t group) const {
    const std::size_t row = CounterLayout::hits_row(capacity_);
    const std::uint64_t* const hits = single.counters.data() + group * row;
    std::vector<std::uint64_t> counts(hits, hits + capacity_);
    // What was counted but did not reach this set count repeated the touch before.
    counts[0] += touches(group) - std::reduce(hits, hits + row);
    return counts;
  }

  SetGrid grid_;
  std::size_t groups_;
  unsigned capacity_;
  Kernels kernels_;
  std::size_t stride_;
  std::vector<std::uint64_t> counters_;
  std::vector<std::uint64_t> repeats_;
  RegionTags tags_;
  std::optional<Levels<std::uint32_t>> narrow_;
  std::optional<Levels<std::uint64_t>> wide_;
  std::unique_ptr<TouchList<std::uint32_t>> narrow_touches_;
  std::unique_ptr<TouchList<std::uint64_t>> wide_touches_;
  std::vector<Single> singles_;
  std::uint64_t previous_ = 0;
  bool any_ = false;  ///< whether previous_ is a touch
  bool zero_tag_seen_ = false;
};

SetDistances::SetDistances(SetGrid grid, std::size_t groups, SetPath path)
    : engine_(std::make_unique<Engine>(std::move(grid), groups, path)) {}
SetDistances::SetDistances(SetDistances&&) noexcept = default;
SetDistances& SetDistances::operator=(SetDistances&&) noexcept = default;
SetDistances::~SetDistances() = default;

void SetDistances::process(std::span<const Line> lines, std::span<const std::uint16_t> groups,
                           std::span<const std::uint32_t> weights) {
  engine_->process(lines, groups, weights);
}
std::vector<std::uint64_t> SetDistances::histogram(std::uint64_t sets, std::uint16_t group) const {
  return engine_->histogram(sets, group);
}
std::uint64_t SetDistances::touches(std::uint16_t group) const { return engine_->touches(group); }
const SetGrid& SetDistances::grid() const { return engine_->grid(); }
std::size_t SetDistances::groups() const { return engine_->groups(); }
std::uint64_t SetDistances::memory_bytes() const { return engine_->memory_bytes(); }

}  // namespace cachescape::analyze
