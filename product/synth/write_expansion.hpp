// An expansion into a trace, at the speed of copying where a seed is made again.
#pragma once

#include <functional>

#include "cachescape/result.hpp"
#include "product/synth/expansion.hpp"
#include "trace/writer.hpp"

namespace cachescape::synth {

/// Appends all accesses that are left. Rounds of a phase on the same memory are packed once; memory: one of them,
/// packed. `progress` is told now and then.
Result<void> write_expansion(Expansion& expansion, trace::TraceWriter& writer,
                             const std::function<void(const AccessSource&)>& progress);

}  // namespace cachescape::synth
