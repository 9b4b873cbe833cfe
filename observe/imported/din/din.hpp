// Dinero's ASCII traces: "din" (Dinero III) and "extended din" (Dinero IV; Edler and Hill, 1998).
// docs/formats/imported.md says what each line becomes.
#pragma once

#include "observe/imported/import.hpp"

namespace cachescape::imported {

const Format& din_format();

}  // namespace cachescape::imported
