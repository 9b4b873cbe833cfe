// Files, pipes and standard input as they are stored, without decompression.
#pragma once

#include <memory>
#include <string>

#include "bytes/source.hpp"

namespace cachescape::bytes {

/// Opens `path` ("-" = standard input) for reading. Regular files are seekable, from the position at which
/// they were handed over (standard input may already be partly read).
Result<std::unique_ptr<ByteSource>> open_stored(const std::string& path);

}  // namespace cachescape::bytes
