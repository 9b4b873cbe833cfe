// How much slower a program is in an emulator than alone: an estimate.
#pragma once

#include <cstdint>
#include <optional>

namespace cachescape::collect {

/// Instructions that programs usually execute in a second on this processor: its clock, measured for some milliseconds
/// when this is first asked for, times instructions_per_cycle.
double usual_instructions_per_second();

/// What programs come to on processors of these years; single ones from a tenth to twice as much.
inline constexpr double instructions_per_cycle = 1.5;

/// Shorter than this, alone, and nothing is said: the emulator's own beginning would count for more than the program.
inline constexpr double shortest_alone = 0.01;  // seconds

/// `seconds` is how long the threads of the program were on a processor or waited for the analysis, together. Nothing
/// where it is not known how many instructions they executed.
std::optional<double> slowdown(std::uint64_t instructions, double seconds, double instructions_per_second);

}  // namespace cachescape::collect
