#include "analyze/coherence/hole_stack.hpp"

#include <bit>
#include <utility>

namespace cachescape::analyze {

HoleStack::HoleStack(std::uint64_t window) : places_(window), holes_(window) { places_.append(); }

void HoleStack::renew(std::uint64_t scanned) {
  // As in the stack-distance engine: a touch pays for renumbering a third of a line, and for passing over a few empty
  // times at most.
  const std::uint64_t needed = std::max<std::uint64_t>(std::uint64_t{places_.count()} * 4, scanned / 2);
  const std::uint64_t room = std::clamp(std::bit_ceil(needed), places_.room(), RankedBits::most_bits);
  HoleTimes holes(room);
  for (; holes_.greatest() != 0; holes_.remove_greatest()) holes.add(places_.rank(holes_.greatest()));
  holes_ = std::move(holes);
  const std::uint32_t count = places_.count();
  if (room != places_.room()) places_ = RankedBits(room);
  places_.restart(count);
}

}  // namespace cachescape::analyze
