#include "analyze/distance/other_sets.hpp"

#include <algorithm>

#include "analyze/distance/set_levels.hpp"

namespace cachescape::analyze {

using namespace sets;

OtherSets::OtherSets(std::span<const std::uint64_t> set_counts, unsigned ways, std::size_t groups, InstructionSet path)
    : capacity_(ways <= 16 ? 16 : 32), kernels_(kernels_on(path, capacity_)), repeats_(groups) {
  for (const std::uint64_t sets : set_counts)
    singles_.push_back({sets, ZeroedPages(sets * capacity_ * sizeof(std::uint64_t)),
                        std::vector<std::uint64_t>(groups * CounterLayout::hits_row(capacity_))});
}

void OtherSets::process(std::span<const Line> lines, std::span<const std::uint16_t> groups,
                        std::span<const std::uint32_t> weights) {
  if (singles_.empty()) return;
  TouchList& list = *list_;
  for (std::size_t i = 0; i < lines.size();) {
    for (list.count = 0; i < lines.size() && list.count < chunk_touches; ++i) {
      const std::uint64_t line = lines[i].value;
      if (any_ && line == previous_) {
        repeats_[groups[i]] += weights[i];
        continue;
      }
      any_ = true;
      previous_ = line;
      list.line[list.count] = line;
      list.tag[list.count] = wide_tag(line);
      list.group[list.count] = groups[i];
      list.weight[list.count] = weights[i];
      if (list.tag[list.count] == 0 && !zero_tag_seen_) [[unlikely]] {
        // It is found where a set has room, as if its line had been there: its first touch is counted here.
        zero_tag_seen_ = true;
        for (Single& s : singles_) s.counters[groups[i] * CounterLayout::hits_row(capacity_) + capacity_] += weights[i];
        list.weight[list.count] = 0;
      }
      ++list.count;
    }
    for (Single& s : singles_) {
      SingleState state{s.sets, reinterpret_cast<std::uint64_t*>(s.pages.data()), s.counters.data()};
      kernels_.single(state, list);
    }
  }
}

std::vector<std::uint64_t> OtherSets::hits(std::uint64_t sets, std::size_t group) const {
  const auto found = std::ranges::find(singles_, sets, &Single::sets);
  if (found == singles_.end()) return {};
  const std::uint64_t* const row = found->counters.data() + group * CounterLayout::hits_row(capacity_);
  std::vector<std::uint64_t> counts(row, row + capacity_);
  counts[0] += repeats_[group];
  return counts;
}

std::uint64_t OtherSets::memory_bytes() const {
  std::uint64_t bytes = sizeof *this + sizeof *list_ + repeats_.capacity() * sizeof(std::uint64_t);
  for (const Single& s : singles_) bytes += s.pages.size() + s.counters.capacity() * sizeof(std::uint64_t);
  return bytes;
}

}  // namespace cachescape::analyze
