// What the processor counts while the loop runs, where it does and lets us see it (perf_event_open).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace cachescape::proxy {

inline constexpr std::array hardware_counter_names{"cycles", "instructions", "l1d_misses", "llc_misses"};

struct HardwareCounts {
  /// As hardware_counter_names; none where the processor or the system does not tell.
  std::array<std::optional<double>, hardware_counter_names.size()> values;
  /// Why those are not there that are not; empty where all are.
  std::string why_missing;
};

/// Counts this thread in user mode, from start() to stop(), any number of times. One thread.
class HardwareCounters {
 public:
  HardwareCounters();
  HardwareCounters(const HardwareCounters&) = delete;
  HardwareCounters& operator=(const HardwareCounters&) = delete;
  ~HardwareCounters();

  void start();
  void stop();
  /// The sums; scaled up where counters had to take turns.
  HardwareCounts read() const;

 private:
  std::array<int, hardware_counter_names.size()> files_;
  int why_ = 0;  ///< errno of the last that could not be opened
};

}  // namespace cachescape::proxy
