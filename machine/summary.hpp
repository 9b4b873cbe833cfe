// A machine's levels in one line, for lists.
#pragma once

#include <string>

#include "machine/machine.hpp"

namespace cachescape::machine {

/// "L1 32 KiB 8-way, L2 1 MiB 16-way, L3 32 MiB 16-way shared by 8"; lines are named where they are not 64
/// bytes long: "L1 64 KiB 4-way (256 B lines)".
std::string summarise(const Machine& machine);

}  // namespace cachescape::machine
