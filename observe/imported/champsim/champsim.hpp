// ChampSim's instruction traces (input_instr, 64 bytes each). docs/formats/imported.md has the layout.
#pragma once

#include "observe/imported/import.hpp"

namespace cachescape::imported {

const Format& champsim_format();

}  // namespace cachescape::imported
