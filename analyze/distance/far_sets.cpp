#include "analyze/distance/far_sets.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "analyze/distance/set_levels.hpp"
#include "analyze/distance/set_state.hpp"
#include "analyze/distance/set_tags.hpp"

namespace cachescape::analyze {
namespace {

using namespace sets;

// Levels below this start with whole tags: they are small, and 31 regions are soon seen.
constexpr unsigned first_cut = 5;

}  // namespace

class FarSets::Engine {
 public:
  Engine(const SetGrid& grid, std::size_t groups, InstructionSet path)
      : grid_(grid),
        capacity_(grid.ways <= 16 ? 16 : 32),
        kernels_(kernels_on(path, capacity_)),
        stride_(CounterLayout::size(grid.max_log2_sets + 1, capacity_)),
        counters_(groups * stride_),
        tags_(std::max(16u, grid.max_log2_sets)),
        narrow_(std::in_place, grid.min_log2_sets, grid.max_log2_sets, capacity_, lowest_cut()),
        narrow_tags_(std::make_unique<EnteringTags<std::uint32_t>>()) {
    GridState<std::uint32_t>& state = narrow_->state();
    state.counters = counters_.data();
    state.counter_stride = stride_;
  }

  void enter(const EnteringLines& entering) {
    for (std::size_t done = 0; done < entering.line.size();) {
      const EnteringLines chunk = entering.part(done, std::min(entering.line.size() - done, chunk_touches));
      done += narrow_ ? enter_narrow(chunk) : enter_wide(chunk);
    }
  }

  std::vector<std::uint64_t> hits(unsigned level, std::size_t group) const {
    const std::uint64_t* const counters = counters_.data() + group * stride_;
    const std::uint64_t* const row = counters + CounterLayout::hits + level * CounterLayout::hits_row(capacity_);
    std::vector<std::uint64_t> counts(row, row + capacity_);
    const std::uint64_t* const stop = counters + CounterLayout::stop;
    counts[0] += std::reduce(stop, stop + level + 1);
    return counts;
  }

  std::uint64_t touches(std::size_t group) const { return counters_[group * stride_ + CounterLayout::touches]; }
  const SetGrid& grid() const { return grid_; }
  std::uint64_t memory_bytes() const {
    std::uint64_t bytes = sizeof(Engine) + counters_.capacity() * sizeof(std::uint64_t) + tags_.memory_bytes();
    if (narrow_) bytes += narrow_->memory_bytes() + sizeof *narrow_tags_;
    if (wide_) bytes += wide_->memory_bytes() + sizeof *wide_tags_;
    return bytes;
  }

 private:
  unsigned lowest_cut() const { return tags_.region_log2() - 16 + first_cut; }

  template <class Tag>
  static void put(EnteringTags<Tag>& list, std::size_t i, const EnteringLines& chunk, Tag tag, Tag left) {
    list.tag[i] = tag;
    list.left[i] = left;
    list.demotion[i] = chunk.demotion[i];
    list.weight[i] = chunk.weight[i];
    list.group[i] = chunk.group[i];
  }

  // Takes those before the first line that has no 32-bit tag, or all.
  std::size_t enter_narrow(const EnteringLines& chunk) {
    EnteringTags<std::uint32_t>& list = *narrow_tags_;
    std::size_t i = 0;
    for (; i < chunk.line.size(); ++i) {
      const std::uint32_t tag = tags_.tag(chunk.line[i].value);
      if (tag == 0) [[unlikely]]
        break;
      put(list, i, chunk, tag, static_cast<std::uint32_t>(chunk.left[i].value));
    }
    list.count = i;
    narrow_->widen(std::max(lowest_cut(), first_compact_level(tags_.regions(), tags_.region_log2())));
    kernels_.grid_narrow(narrow_->state(), list);
    if (i < chunk.line.size()) become_wide();
    return i;
  }

  std::size_t enter_wide(const EnteringLines& chunk) {
    EnteringTags<std::uint64_t>& list = *wide_tags_;
    list.count = chunk.line.size();
    for (std::size_t i = 0; i < chunk.line.size(); ++i) {
      const std::uint64_t tag = wide_tag(chunk.line[i].value);
      put(list, i, chunk, tag, wide_tag(chunk.left[i].value));
      if (tag == 0 && !zero_tag_seen_) [[unlikely]]
        list.weight[i] = count_first_zero_tag(chunk.group[i], chunk.weight[i]);
    }
    kernels_.grid_wide(wide_->state(), list);
    return chunk.line.size();
  }

  // A tag of 0 is found where a set has room, as if its line had been there. Its first touch is therefore
  // counted here, as too far for every set count, and made with weight 0; from then on the tag is right
  // wherever it is found first.
  std::uint32_t count_first_zero_tag(std::size_t group, std::uint32_t weight) {
    zero_tag_seen_ = true;
    counters_[group * stride_ + CounterLayout::touches] += weight;
    return 0;
  }

  void become_wide() {
    narrow_->widen(grid_.max_log2_sets + 1);
    wide_.emplace(widened(*narrow_, tags_, capacity_));
    narrow_.reset();
    narrow_tags_.reset();
    tags_ = RegionTags(tags_.region_log2());
    wide_tags_ = std::make_unique<EnteringTags<std::uint64_t>>();
  }

  SetGrid grid_;
  unsigned capacity_;
  Kernels kernels_;
  std::size_t stride_;
  std::vector<std::uint64_t> counters_;
  RegionTags tags_;
  std::optional<Levels<std::uint32_t>> narrow_;
  std::optional<Levels<std::uint64_t>> wide_;
  std::unique_ptr<EnteringTags<std::uint32_t>> narrow_tags_;
  std::unique_ptr<EnteringTags<std::uint64_t>> wide_tags_;
  bool zero_tag_seen_ = false;
};

FarSets::FarSets(const SetGrid& grid, std::size_t groups, InstructionSet path)
    : engine_(std::make_unique<Engine>(grid, groups, path)) {}
FarSets::FarSets(FarSets&&) noexcept = default;
FarSets& FarSets::operator=(FarSets&&) noexcept = default;
FarSets::~FarSets() = default;

void FarSets::enter(const EnteringLines& entering) { engine_->enter(entering); }
std::vector<std::uint64_t> FarSets::hits(unsigned level, std::size_t group) const {
  return engine_->hits(level, group);
}
std::uint64_t FarSets::touches(std::size_t group) const { return engine_->touches(group); }
const SetGrid& FarSets::grid() const { return engine_->grid(); }
std::uint64_t FarSets::memory_bytes() const { return engine_->memory_bytes(); }

}  // namespace cachescape::analyze
