// What a process has used of processors.
#pragma once

namespace cachescape::cli {

struct ProcessorTime {
  double own = 0;            ///< seconds
  double with_children = 0;  ///< that it has waited for
};

/// So far, or in all where it has ended and nobody has waited for it. Zero where there is no such process.
ProcessorTime processor_time(int process);

}  // namespace cachescape::cli
