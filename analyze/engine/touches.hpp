// From accesses and loops to the touches of one line size.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include <boost/container/small_vector.hpp>

#include "analyze/engine/stretch.hpp"
#include "cachescape/access.hpp"
#include "cachescape/line.hpp"

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
  const std::uint64_t stride = step > 0 ? static_cast<std::uint64_t>(step) : 0 - static_cast<std::uint64_t>(step);
  if (stride > room) return 0;
  // Lines have at most 2^30 bytes, and short divisions are faster.
  return static_cast<std::uint32_t>(room) / static_cast<std::uint32_t>(stride);
}

/// How many iterations after `iteration` the access touches exactly the lines that it touches there.
inline std::uint64_t repetitions(const StridedAccess& a, std::uint64_t iteration, LineSize size) {
  const Address first = a.at(iteration);
  const Address last = last_byte(first, a.size);
  // An access cut off by the end of the address space grows and shrinks from one iteration to the next.
  if (a.size > 1 && last.value - first.value != a.size - 1) return 0;
  return std::min(steps_inside(first.value, a.step, size), steps_inside(last.value, a.step, size));
}

/// Calls sink(line, kind, weight, site) for the touches of a loop without expanding it: an iteration that
/// touches the lines of the one before leaves the order of last touches as it was, so that all its repetitions have the
/// same distances. It is made once, with their number as weight. Takes one or two iterations per change of lines.
template <class Sink>
void for_touches(const Loop& loop, LineSize size, Sink&& sink) {
  const auto iterate = [&](std::uint64_t iteration, std::uint32_t weight) {
    for (const StridedAccess& a : loop.body) for_touches(a.at(iteration), a.size, a.kind, weight, a.site, size, sink);
  };
  // For each access, the first iteration in which it touches other lines than in the one before.
  boost::container::small_vector<std::uint64_t, 16> change(loop.body.size(), 0);
  constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();
  for (std::uint64_t i = 0; i < loop.trips;) {
    iterate(i, 1);
    std::uint64_t next = loop.trips;
    for (std::size_t a = 0; a < change.size(); ++a) {
      if (change[a] <= i) {
        const std::uint64_t repeated = repetitions(loop.body[a], i, size);
        change[a] = repeated > never - i - 1 ? never : i + 1 + repeated;
      }
      next = std::min(next, change[a]);
    }
    for (++i; i < next;) {
      const std::uint64_t now = std::min<std::uint64_t>(next - i, std::numeric_limits<std::uint32_t>::max());
      iterate(i, static_cast<std::uint32_t>(now));
      i += now;
    }
  }
}

}  // namespace cachescape::analyze
