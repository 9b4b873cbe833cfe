// The stand-alone program, and the signatures of patterns that everybody knows, built into the library.
#pragma once

#include <span>

#include "bytes/embedded_file.hpp"

namespace cachescape::proxy {

std::span<const bytes::EmbeddedFile> embedded_files();

}  // namespace cachescape::proxy
