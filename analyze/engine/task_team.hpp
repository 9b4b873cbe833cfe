// A few threads that work off a list of tasks together.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace cachescape::analyze {

/// run() is called by one thread, which works along. With one worker there are no threads and no locks.
class TaskTeam {
 public:
  explicit TaskTeam(unsigned workers);
  TaskTeam(const TaskTeam&) = delete;
  TaskTeam& operator=(const TaskTeam&) = delete;
  ~TaskTeam();

  /// Runs task(0) … task(count − 1), each once, on whichever worker is free; returns when all are done. Tasks must not
  /// throw.
  void run(std::size_t count, const std::function<void(std::size_t)>& task);

 private:
  void work(std::unique_lock<std::mutex>& lock);

  std::mutex mutex_;
  std::condition_variable changed_;
  const std::function<void(std::size_t)>* task_ = nullptr;
  std::size_t next_ = 0;
  std::size_t count_ = 0;
  std::size_t running_ = 0;
  bool stop_ = false;
  std::vector<std::jthread> threads_;
};

}  // namespace cachescape::analyze
