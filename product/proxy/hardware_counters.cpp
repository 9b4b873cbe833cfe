#include "product/proxy/hardware_counters.hpp"

#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include <fmt/format.h>

namespace cachescape::proxy {
namespace {

struct Event {
  std::uint32_t type;
  std::uint64_t config;
};

constexpr std::uint64_t read_misses(std::uint64_t cache) {
  return cache | (PERF_COUNT_HW_CACHE_OP_READ << 8) | (PERF_COUNT_HW_CACHE_RESULT_MISS << 16);
}

constexpr std::array<Event, hardware_counter_names.size()> events{{
    {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
    {PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
    {PERF_TYPE_HW_CACHE, read_misses(PERF_COUNT_HW_CACHE_L1D)},
    {PERF_TYPE_HW_CACHE, read_misses(PERF_COUNT_HW_CACHE_LL)},
}};

int open_event(const Event& event) {
  perf_event_attr attribute{};
  attribute.size = sizeof attribute;
  attribute.type = event.type;
  attribute.config = event.config;
  attribute.disabled = 1;
  attribute.exclude_kernel = 1;
  attribute.exclude_hv = 1;
  attribute.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  return static_cast<int>(syscall(SYS_perf_event_open, &attribute, 0, -1, -1, PERF_FLAG_FD_CLOEXEC));
}

std::string reason(int error) {
  switch (error) {
    case ENOENT:
    case ENODEV:
    case EOPNOTSUPP:
      return "the processor, or the virtual machine on it, offers no such counters";
    case EACCES:
    case EPERM:
      return "the system keeps counters from this user: see /proc/sys/kernel/perf_event_paranoid";
    case ENOSYS:
      return "the kernel has no perf_event_open";
    default:
      return fmt::format("perf_event_open: {}", std::strerror(error));
  }
}

}  // namespace

HardwareCounters::HardwareCounters() {
  for (std::size_t i = 0; i < events.size(); ++i) {
    files_[i] = open_event(events[i]);
    if (files_[i] < 0) why_ = errno;
  }
}

HardwareCounters::~HardwareCounters() {
  for (const int file : files_) {
    if (file >= 0) close(file);
  }
}

void HardwareCounters::start() {
  for (const int file : files_) {
    if (file >= 0) ioctl(file, PERF_EVENT_IOC_ENABLE, 0);
  }
}

void HardwareCounters::stop() {
  for (const int file : files_) {
    if (file >= 0) ioctl(file, PERF_EVENT_IOC_DISABLE, 0);
  }
}

HardwareCounts HardwareCounters::read() const {
  struct {
    std::uint64_t value, enabled, running;
  } sum{};
  HardwareCounts counts;
  for (std::size_t i = 0; i < files_.size(); ++i) {
    if (files_[i] < 0 || ::read(files_[i], &sum, sizeof sum) != sizeof sum) continue;
    if (sum.running == 0) continue;
    counts.values[i] =
        static_cast<double>(sum.value) * (static_cast<double>(sum.enabled) / static_cast<double>(sum.running));
  }
  if (why_ != 0) counts.why_missing = reason(why_);
  return counts;
}

}  // namespace cachescape::proxy
