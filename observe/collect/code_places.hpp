// The sites of translated code, with what the files that it came from know of them.
#pragma once

#include "cachescape/places.hpp"
#include "observe/collect/code_table.hpp"

namespace cachescape::collect {

/// Locations, blocks and sites; site i is site i of the table. A block is a function, since translated code knows no
/// others.
Places places_of_code(const CodeTable& code);

}  // namespace cachescape::collect
