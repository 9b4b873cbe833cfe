// What a waiting person sees: nothing for two seconds, then a line that says how far things are.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "cachescape/source.hpp"

namespace cachescape::cli {

/// A message on standard error, in front of which any progress line is wiped.
void note(const std::string& text);

/// ", about 40 times slower", or nothing.
std::string slowdown_text(const std::optional<double>& slowdown);

/// How far the recording of a program is.
struct ProgramStatus {
  std::uint64_t accesses = 0;
  std::uint64_t footprint = 0;   ///< bytes; 0 where it is not known
  double processor_seconds = 0;  ///< that the program has used
  std::optional<double> slowdown;
};

/// Shows the progress of reading a source on standard error, if that is a terminal. Cheap to call per batch.
class Progress {
 public:
  explicit Progress(std::string doing) : doing_(std::move(doing)) {}
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();

  void update(const AccessSource& source);
  /// A program that runs, of which nobody knows how long it will. Asked only when it is time to show something.
  void update(const std::function<ProgramStatus()>& status);
  /// A stage of the work of which the share that is done is known.
  void update(std::string_view stage, double done);

 private:
  using Clock = std::chrono::steady_clock;

  bool is_time();
  void show(const SourceStatus& status);
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
  void write(const std::string& line);

  std::string doing_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point next_ = start_ + std::chrono::seconds(2);
  bool shown_ = false;
};

}  // namespace cachescape::cli
