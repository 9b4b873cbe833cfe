#include "analyze/coherence/group_sets.hpp"

namespace cachescape::analyze {

void GroupSets::flush() {
  for (std::size_t i = 0; i < count_; ++i) {
    const Event& e = pending_[i];
    if (e.taken) {
      losses_.insert_or_assign(e.number, sets_.take(e.line, e.number));
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

std::uint64_t GroupSets::memory_bytes() const {
  return sizeof *this + sets_.memory_bytes() +
         losses_.bucket_count() * (sizeof(std::uint32_t) + sizeof(HoleSets::Depths) + 1);
}

}  // namespace cachescape::analyze
