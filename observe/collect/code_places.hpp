// The sites of translated code and the objects that it made, with what the files that it came from know of them.
#pragma once

#include <vector>

#include "cachescape/places.hpp"
#include "observe/collect/code_globals.hpp"
#include "observe/collect/code_table.hpp"
#include "observe/collect/object_map.hpp"

namespace cachescape::collect {

/// Locations, blocks, sites and objects; site i is site i of the table, object i is object i of the map. A block is a
/// function, since translated code knows no others. Reads the files. Sites are left empty that are neither `wanted`, by
/// their number, nor allocate objects: most code that a large program runs through accesses nothing that is asked for.
Places places_of_code(const CodeTable& code, const CodeGlobals& globals, const ObjectMap& objects,
                      std::vector<bool> wanted);

}  // namespace cachescape::collect
