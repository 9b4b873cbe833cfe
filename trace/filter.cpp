#include "trace/filter.hpp"

namespace cachescape::trace {

bool Filter::passes(const Access& a, std::uint64_t position) const {
  return position >= from && !past(position) && (threads.empty() || threads.contains(a.thread)) &&
         (kinds.empty() || kinds.contains(a.kind)) && a.address >= lowest && a.address <= highest &&
         a.site >= lowest_site && a.site <= highest_site;
}

void Filter::apply(const AccessBatch& batch, AccessBatch& kept) const {
  kept.clear();
  auto block = batch.blocks.begin();
  const auto keep_blocks = [&](std::size_t until) {
    for (; block != batch.blocks.end() && block->index <= until; ++block) {
      const std::uint64_t position = batch.first.value + block->index;
      if (position < from || past(position) || !(threads.empty() || threads.contains(block->thread))) continue;
      kept.blocks.push_back({static_cast<std::uint32_t>(kept.size()), block->thread, block->block});
    }
  };
  for (std::size_t i = 0; i < batch.size(); ++i) {
    keep_blocks(i);
    const Access a = batch[i];
    if (passes(a, batch.first.value + i)) kept.push(a);
  }
  keep_blocks(batch.size());
}

}  // namespace cachescape::trace
