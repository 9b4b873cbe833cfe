#include "analyze/engine/lanes.hpp"

#include <algorithm>
#include <utility>

namespace cachescape::analyze {
namespace {

constexpr std::uint64_t several = 2;
static_assert(several < Lanes::depth);

}  // namespace

Lanes::Lanes(unsigned workers) : worth_waking_(several) {
  for (unsigned i = 1; i < workers; ++i) {
    threads_.emplace_back([this] {
      std::unique_lock lock(mutex_);
      while (!stop_) {
        if (work(lock)) continue;
        ++sleeping_;
        for_workers_.wait(lock);
        --sleeping_;
      }
    });
  }
}

Lanes::~Lanes() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  for_workers_.notify_all();
}

void Lanes::set(std::vector<Lane> lanes) {
  const std::lock_guard lock(mutex_);
  lanes_.clear();
  for (Lane& lane : lanes) lanes_.push_back({std::move(lane), added_, false});
}

Lanes::State* Lanes::ready() {
  State* found = nullptr;
  for (State& s : lanes_) {
    if (s.busy || s.done == added_ || (s.lane.after && lanes_[*s.lane.after].done == s.done)) continue;
    if (found == nullptr || s.done < found->done) found = &s;
  }
  return found;
}

void Lanes::pass_over() {
  for (State& s : lanes_) {
    if (s.busy || !s.lane.nothing || !s.lane.after) continue;
    while (s.done < lanes_[*s.lane.after].done && s.lane.nothing(s.done)) ++s.done;
  }
}

void Lanes::wake() {
  if (sleeping_ == 0 && !awaited_) return;
  const State* const more = ready();
  if (more == nullptr) return;
  if (sleeping_ == 0) {
    for_caller_.notify_one();
  } else if (added_ - more->done >= worth_waking_) {
    for_workers_.notify_one();
  }
}

bool Lanes::work(std::unique_lock<std::mutex>& lock) {
  State* const mine = ready();
  if (mine == nullptr) return false;
  mine->busy = true;
  wake();
  lock.unlock();
  mine->lane.work(mine->done);
  lock.lock();
  mine->busy = false;
  ++mine->done;
  pass_over();
  if (awaited_ && under_way() <= *awaited_) for_caller_.notify_one();
  return true;
}

std::uint64_t Lanes::under_way() const {
  std::uint64_t least = added_;
  for (const State& s : lanes_) least = std::min(least, s.done);
  return added_ - least;
}

void Lanes::work_down_to(std::uint64_t pieces, std::unique_lock<std::mutex>& lock) {
  while (under_way() > pieces) {
    if (work(lock)) continue;
    awaited_ = pieces;
    for_caller_.wait(lock);
    awaited_.reset();
  }
}

std::uint64_t Lanes::next() {
  std::unique_lock lock(mutex_);
  if (under_way() == depth) work_down_to(depth - several, lock);
  return added_;
}

void Lanes::add() {
  {
    const std::lock_guard lock(mutex_);
    ++added_;
    wake();
  }
  if (threads_.empty()) drain();
}

void Lanes::drain() {
  std::unique_lock lock(mutex_);
  worth_waking_ = 1;
  wake();
  work_down_to(0, lock);
  worth_waking_ = several;
}

}  // namespace cachescape::analyze
