// Machines in one line, for the command line: "L1:32K,8,64 L2:1M,16,64,shared=all".
//
// Each level is name:size,ways,line and any of these options, in any order: shared=N or shared=all; lru,
// plru, fifo, random, srrip; inclusive, exclusive, non-inclusive; back, through; allocate, no-allocate.
// Ways may be "full". Levels stand nearest to the core first and are separated by spaces, ';' or '+'. One
// level without a name, as cachegrind writes it ("32768,8,64"), is called L1. Pure functions, safe from any
// thread.
#pragma once

#include <string>
#include <string_view>

#include "cachescape/result.hpp"
#include "machine/machine.hpp"

namespace cachescape::machine {

/// Whether `text` is meant to be an inline machine: it has a ':', or is digits with commas.
bool looks_inline(std::string_view text);

/// A valid machine whose name is `text`. Errors point at the character (counted from 1).
Result<Machine> read_inline(std::string_view text);

/// The levels of `machine` as inline text; cores, coherence, latencies, bandwidths and sources have no
/// inline form. Otherwise read_inline gives equal levels for every valid machine.
std::string to_inline(const Machine& machine);

}  // namespace cachescape::machine
