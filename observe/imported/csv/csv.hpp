// Accesses in a table: comma-, tab- or semicolon-separated values with named columns. docs/formats/imported.md lists
// the columns and what their fields may hold.
#pragma once

#include "observe/imported/import.hpp"

namespace cachescape::imported {

const Format& csv_format();

}  // namespace cachescape::imported
