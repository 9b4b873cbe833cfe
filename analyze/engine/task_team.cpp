#include "analyze/engine/task_team.hpp"

#include <utility>

namespace cachescape::analyze {

TaskTeam::TaskTeam(unsigned workers) {
  for (unsigned i = 1; i < workers; ++i) {
    threads_.emplace_back([this] {
      std::unique_lock lock(mutex_);
      while (true) {
        changed_.wait(lock, [this] { return stop_ || next_ < count_; });
        if (stop_) return;
        work(lock);
      }
    });
  }
}

TaskTeam::~TaskTeam() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
}

void TaskTeam::work(std::unique_lock<std::mutex>& lock) {
  while (next_ < count_) {
    const std::size_t mine = next_++;
    ++running_;
    lock.unlock();
    task_(mine);
    lock.lock();
    --running_;
  }
  if (running_ == 0) changed_.notify_all();
}

void TaskTeam::start(std::size_t count, std::function<void(std::size_t)> task) {
  if (threads_.empty()) {
    for (std::size_t i = 0; i < count; ++i) task(i);
    return;
  }
  {
    const std::lock_guard lock(mutex_);
    task_ = std::move(task);
    next_ = 0;
    count_ = count;
  }
  changed_.notify_all();
}

void TaskTeam::finish() {
  if (threads_.empty()) return;
  std::unique_lock lock(mutex_);
  work(lock);
  changed_.wait(lock, [this] { return running_ == 0 && next_ == count_; });
  count_ = 0;
  next_ = 0;
}

}  // namespace cachescape::analyze
