// What a waiting person sees: nothing for two seconds, then a line that says how far things are.
#pragma once

#include <chrono>
#include <string>

#include "cachescape/source.hpp"

namespace cachescape::cli {

/// A message on standard error, in front of which any progress line is wiped.
void note(const std::string& text);

/// Shows the progress of reading a source on standard error, if that is a terminal. Cheap to call per batch.
class Progress {
 public:
  explicit Progress(std::string doing) : doing_(std::move(doing)) {}
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();

  void update(const AccessSource& source);
  /// Where nobody knows how many there will be.
  void update(std::uint64_t accesses);

 private:
  using Clock = std::chrono::steady_clock;

  bool is_time();
  void show(const SourceStatus& status);

  std::string doing_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point next_ = start_ + std::chrono::seconds(2);
  bool shown_ = false;
};

}  // namespace cachescape::cli
