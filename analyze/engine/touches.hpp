// From accesses and loops to the touches of one line size.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "cachescape/access.hpp"
#include "cachescape/line.hpp"
#include "cachescape/strided_run.hpp"

namespace cachescape::analyze {

/// Calls sink(line, kind, weight, site) for each touch of the access, ascending.
template <class Sink>
void for_touches(Address address, std::uint64_t size, AccessKind kind, std::uint32_t weight, SiteId site,
                 LineSize line_size, Sink&& sink) {
  const Touches lines = touches_of(address, size, line_size);
  for (std::uint64_t l = lines.first.value;; ++l) {
    sink(Line{l}, kind, weight, site);
    if (l == lines.last.value) break;
  }
}

/// How many steps a byte at `address` may take before it leaves its line.
inline std::uint64_t steps_inside(std::uint64_t address, std::int64_t step, LineSize size) {
  if (step == 0) return std::numeric_limits<std::uint64_t>::max();
  const std::uint64_t line = size.bytes().value;
  const std::uint64_t offset = address & (line - 1);
  const std::uint64_t room = step > 0 ? line - 1 - offset : offset;
  return room / (step > 0 ? static_cast<std::uint64_t>(step) : 0 - static_cast<std::uint64_t>(step));
}

/// How many iterations after `iteration` touch exactly its lines (before the run ends or after).
inline std::uint64_t repetitions(const StridedRun& run, std::uint64_t iteration, LineSize size) {
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  for (const StridedAccess& a : run.body) {
    const Address first = a.at(iteration);
    const Address last = last_byte(first, a.size);
    // An access cut off by the end of the address space grows and shrinks from one iteration to the next.
    if (a.size > 1 && last.value - first.value != a.size - 1) return 0;
    least = std::min({least, steps_inside(first.value, a.step, size), steps_inside(last.value, a.step, size)});
  }
  return least;
}

/// Calls sink(line, kind, weight, site) for the touches of a strided run without expanding it: an iteration that
/// touches the lines of the one before leaves the order of last touches as it was, so that all its repetitions have the
/// same distances. It is made once, with their number as weight. Takes one or two iterations per change of lines.
template <class Sink>
void for_touches(const StridedRun& run, LineSize size, Sink&& sink) {
  const auto iterate = [&](std::uint64_t iteration, std::uint32_t weight) {
    for (const StridedAccess& a : run.body) for_touches(a.at(iteration), a.size, a.kind, weight, a.site, size, sink);
  };
  for (std::uint64_t i = 0; i < run.trips; ++i) {
    iterate(i, 1);
    std::uint64_t left = std::min(repetitions(run, i, size), run.trips - 1 - i);
    while (left > 0) {
      const std::uint64_t now = std::min<std::uint64_t>(left, std::numeric_limits<std::uint32_t>::max());
      iterate(i + 1, static_cast<std::uint32_t>(now));
      i += now;
      left -= now;
    }
  }
}

}  // namespace cachescape::analyze
