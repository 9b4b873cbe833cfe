#include "observe/collect/access_window.hpp"

#include <algorithm>
#include <numeric>

namespace cachescape::collect {

AccessWindow::Part AccessWindow::next(std::uint64_t accesses) {
  if (!in_time_) return {0, 0};
  const std::uint64_t skipped = std::min(limits_.skip, accesses);
  limits_.skip -= skipped;
  const std::uint64_t kept = std::min(limits_.count, accesses - skipped);
  if (limits_.count != WindowLimits::no_limit) limits_.count -= kept;
  return {skipped, skipped + kept};
}

void AccessWindow::take(const PackedBatch& batch) {
  const Part part = next(batch.size());
  if (part.begin == part.end) return;
  if (part.end - part.begin == batch.size()) {
    to_.take(batch);
    return;
  }
  part_.clear();
  part_.thread = batch.thread;
  for (BlockEntry block : batch.blocks) {
    if (block.index < part.begin || block.index >= part.end) continue;
    block.index -= static_cast<std::uint32_t>(part.begin);
    part_.blocks.push_back(block);
  }
  for (const PackedAccess& a : batch.accesses().subspan(part.begin, part.end - part.begin)) part_.push(a);
  to_.take(part_);
}

void AccessWindow::expand(const StridedRun& run, std::uint64_t begin, std::uint64_t end) {
  part_.clear();
  part_.thread = run.thread;
  for (std::uint64_t i = begin; i < end; ++i) {
    const StridedAccess& a = run.body[i % run.body.size()];
    if (part_.room() == 0) {
      to_.take(part_);
      part_.clear();
    }
    part_.push({a.at(i / run.body.size()), a.size, a.kind, static_cast<std::uint32_t>(a.site.value)});
  }
  if (!part_.empty()) to_.take(part_);
}

void AccessWindow::take(const StridedRun& run) {
  const std::uint64_t accesses = run.body.size();
  if (accesses == 0) return;
  const Part part = next(run.trips * accesses);
  if (part.begin == part.end) return;
  if (part.end - part.begin == run.trips * accesses) {
    to_.take(run);
    return;
  }
  // Whole trips in the middle stay a run.
  const std::uint64_t first_trip = (part.begin + accesses - 1) / accesses;
  const std::uint64_t last_trip = part.end / accesses;
  if (first_trip >= last_trip) {
    expand(run, part.begin, part.end);
    return;
  }
  expand(run, part.begin, first_trip * accesses);
  StridedRun middle = run;
  middle.trips = last_trip - first_trip;
  for (StridedAccess& a : middle.body) a.base = a.at(first_trip);
  to_.take(middle);
  expand(run, last_trip * accesses, part.end);
}

std::uint64_t AccessWindow::unwanted() const {
  if (limits_.timed()) {
    const double now = clock_();
    in_time_ = now >= limits_.after && now < limits_.after + limits_.seconds;
  }
  if (!in_time_ || limits_.count == 0) return WindowLimits::no_limit;
  return limits_.skip > 0 ? limits_.skip : std::min(to_.unwanted(), limits_.count);
}

void AccessWindow::pass_over(ThreadId thread, const KindCounts& accesses, std::uint64_t bytes) {
  // Whoever passes over keeps to what is unwanted, so that a part never straddles a limit.
  const Part part = next(std::accumulate(accesses.begin(), accesses.end(), std::uint64_t{0}));
  if (part.begin != part.end) to_.pass_over(thread, accesses, bytes);
}

}  // namespace cachescape::collect
