// The sites of translated code and the objects that it made, with what the files that it came from know of them.
#pragma once

#include <vector>

#include "cachescape/places.hpp"
#include "cachescape/result.hpp"
#include "observe/collect/record_decoder.hpp"

namespace cachescape::collect {

/// Locations, blocks, sites and objects; site i is site i of the table, object i is object i of the map. A block is a
/// function, since translated code knows no others. Reads the files. Sites are left empty that are neither `wanted`, by
/// their number, nor allocate objects: most code that a large program runs through accesses nothing that is asked for.
/// `problems` are told of files that are gone or were built again since.
Places places_of_code(const DecoderContext& context, std::vector<bool> wanted, std::vector<Error>& problems);

}  // namespace cachescape::collect
