#include "analyze/engine/lanes.hpp"

#include <algorithm>
#include <utility>

namespace cachescape::analyze {

Lanes::Lanes(unsigned workers) {
  for (unsigned i = 1; i < workers; ++i) {
    threads_.emplace_back([this] {
      std::unique_lock lock(mutex_);
      while (!stop_)
        if (!work(lock)) wait(lock);
    });
  }
}

Lanes::~Lanes() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
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

bool Lanes::work(std::unique_lock<std::mutex>& lock) {
  State* const mine = ready();
  if (mine == nullptr) return false;
  mine->busy = true;
  lock.unlock();
  mine->lane.work(mine->done);
  lock.lock();
  mine->busy = false;
  ++mine->done;
  if (waiting_ > 0) changed_.notify_all();
  return true;
}

std::uint64_t Lanes::all_done() const {
  std::uint64_t least = added_;
  for (const State& s : lanes_) least = std::min(least, s.done);
  return least;
}

void Lanes::wait(std::unique_lock<std::mutex>& lock) {
  ++waiting_;
  changed_.wait(lock);
  --waiting_;
}

std::uint64_t Lanes::next() {
  std::unique_lock lock(mutex_);
  while (all_done() + depth <= added_)
    if (!work(lock)) wait(lock);
  return added_;
}

void Lanes::add() {
  {
    const std::lock_guard lock(mutex_);
    ++added_;
    if (waiting_ > 0) changed_.notify_all();
  }
  if (threads_.empty()) drain();
}

void Lanes::drain() {
  std::unique_lock lock(mutex_);
  while (all_done() < added_)
    if (!work(lock)) wait(lock);
}

}  // namespace cachescape::analyze
