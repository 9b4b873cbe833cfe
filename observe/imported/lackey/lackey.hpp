// Valgrind's lackey: valgrind --tool=lackey --trace-mem=yes. docs/formats/imported.md says what each line becomes and
// how trace lines are told from the output of the program, which goes to the same place.
#pragma once

#include "observe/imported/import.hpp"

namespace cachescape::imported {

const Format& lackey_format();

}  // namespace cachescape::imported
