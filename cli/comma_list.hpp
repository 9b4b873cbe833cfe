// Options with several values in one word.
#pragma once

#include <CLI/CLI.hpp>

namespace cachescape::cli {

/// The option takes one word, split at commas. What stands behind that is not its own: in `import --lines 64,128 TRACE`
/// the trace would be taken for a third line size otherwise.
inline CLI::Option* comma_list(CLI::Option* option) { return option->delimiter(',')->allow_extra_args(false); }

}  // namespace cachescape::cli
