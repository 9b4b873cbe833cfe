#include "analyze/coherence/group_sets.hpp"

namespace cachescape::analyze {

void GroupSets::flush() {
  constexpr std::size_t ahead = 3;
  for (std::size_t i = 0; i < count_; ++i) {
    if (i + ahead < count_ && pending_[i + ahead].what != What::reorder) sets_.prefetch(pending_[i + ahead].line);
    const Event& e = pending_[i];
    if (e.what == What::take) {
      losses_.insert_or_assign(e.number, sets_.take(e.line, e.number));
      continue;
    }
    if (e.what == What::reorder) {
      sets_.reorder(e.line, e.number);
      continue;
    }
    if (e.lost) {
      const auto loss = losses_.find(e.number);
      counters_.add_loss_in_sets(e.kind, *e.lost, loss->second);
      losses_.erase(loss);
    }
    sets_.touch(e.line, e.number, e.kind);
  }
  count_ = 0;
}

std::array<std::vector<std::uint64_t>, access_kinds> GroupSets::hits(unsigned level) const {
  auto all = sets_.hits(level);
  for (std::size_t k = 0; k < access_kinds; ++k) {
    std::uint64_t as_deep = recent_[k].all;
    for (std::size_t depth = 0; depth <= most_recent; ++depth) {
      std::uint64_t deeper = 0;
      if (depth < most_recent)
        for (unsigned l = level; l < sets_.levels(); ++l) deeper += recent_[k].shared[depth][l];
      if (depth < sets_.ways()) all[k][depth] += as_deep - deeper;
      as_deep = deeper;
    }
  }
  return all;
}

std::uint64_t GroupSets::memory_bytes() const {
  return sizeof *this + sets_.memory_bytes() +
         losses_.bucket_count() * (sizeof(std::uint32_t) + sizeof(HoleSets::Depths) + 1);
}

}  // namespace cachescape::analyze
