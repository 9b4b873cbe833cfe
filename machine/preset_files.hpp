// The files of machines/, built into the library.
#pragma once

#include <span>

#include "bytes/embedded_file.hpp"

namespace cachescape::machine {

/// By ascending name.
std::span<const bytes::EmbeddedFile> preset_files();

}  // namespace cachescape::machine
