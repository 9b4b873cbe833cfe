// The machine we run on, as hwloc sees it.
//
// Virtual machines often hide attributes. A cache without a size is left out; an unknown line is taken to be
// 64 bytes; unknown ways (hwloc says 0 or -1) are taken to be 8 in the first level and 16 in the others, or the
// nearest smaller number that divides the cache. `sources` says for each number whether it was reported or
// assumed. Where cores have different caches, those of the first core stand for all.
#pragma once

#include "cachescape/result.hpp"
#include "machine/machine.hpp"

struct hwloc_topology;

namespace cachescape::machine {

/// The data and unified caches of this computer, as machine "host". Milliseconds; asks the operating system.
Result<Machine> detect_host();

/// The same for a loaded topology, which stays the caller's.
Result<Machine> machine_of_topology(hwloc_topology* topology);

}  // namespace cachescape::machine
