// The text that Pin's pinatrace example tools write. docs/formats/imported.md says what each line becomes.
#pragma once

#include "observe/imported/import.hpp"

namespace cachescape::imported {

const Format& pinatrace_format();

}  // namespace cachescape::imported
