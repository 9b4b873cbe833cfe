#include "trace/summary.hpp"

#include <algorithm>

namespace cachescape::trace {

void SummaryBuilder::consume(const AccessBatch& batch) {
  totals_.blocks += batch.blocks.size();
  std::uint64_t* of_thread = nullptr;
  ThreadId thread;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const Access a = batch[i];
    ++totals_.by_kind[static_cast<std::size_t>(a.kind)];
    totals_.bytes += a.size;
    if (of_thread == nullptr || a.thread != thread) {
      thread = a.thread;
      of_thread = &totals_.by_thread[thread];
    }
    ++*of_thread;
    const Address last = last_byte(a.address, a.size);
    totals_.lowest = std::min(totals_.lowest.value_or(a.address), a.address);
    totals_.highest = std::max(totals_.highest.value_or(last), last);
    if (distinct_) {
      sites_.insert(a.site.value);
      const Touches lines = touches_of(a.address, a.size, footprint_line);
      for (std::uint64_t l = lines.first.value; l <= lines.last.value; ++l) lines_.insert(l);
    }
  }
}

Summary SummaryBuilder::summary() const {
  Summary s = totals_;
  if (distinct_) {
    s.sites = sites_.size();
    s.footprint_lines = lines_.size();
  }
  return s;
}

}  // namespace cachescape::trace
