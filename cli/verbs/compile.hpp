// The compiler wrappers take the compiler's command line, not ours: they run before ours is parsed.
#pragma once

#include <optional>

namespace cachescape::cli {

/// Becomes the compiler where the program was called as one (cachescape cc, cachescape-cc …); returns an exit code
/// where that fails, nothing where it was not.
std::optional<int> compile_if_asked(int argc, char** argv);

}  // namespace cachescape::cli
