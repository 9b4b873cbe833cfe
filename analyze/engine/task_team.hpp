// A few threads that work off a list of tasks together.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace cachescape::analyze {

/// Called by one thread, which works along while it waits. With one worker there are no threads and no locks.
class TaskTeam {
 public:
  explicit TaskTeam(unsigned workers);
  TaskTeam(const TaskTeam&) = delete;
  TaskTeam& operator=(const TaskTeam&) = delete;
  ~TaskTeam();

  /// Begins task(0) … task(count − 1), each once, on whichever worker is free. Tasks must not throw.
  /// Precondition: finish() was called since the last start().
  void start(std::size_t count, std::function<void(std::size_t)> task);
  /// Returns when all tasks are done.
  void finish();
  void run(std::size_t count, std::function<void(std::size_t)> task) {
    start(count, std::move(task));
    finish();
  }

 private:
  void work(std::unique_lock<std::mutex>& lock);

  std::mutex mutex_;
  std::condition_variable changed_;
  std::function<void(std::size_t)> task_;
  std::size_t next_ = 0;
  std::size_t count_ = 0;
  std::size_t running_ = 0;
  bool stop_ = false;
  std::vector<std::jthread> threads_;
};

}  // namespace cachescape::analyze
