// The file that holds the debug information of a stripped one.
#pragma once

#include <optional>
#include <string>

#include "observe/symbols/elf_file.hpp"

namespace cachescape::symbols {

/// Where separate debug files are looked for: Debian's place, and GDB's.
inline constexpr const char* debug_folder = "/usr/lib/debug";

/// By build-id (FOLDER/.build-id/ab/cdef….debug), else by .gnu_debuglink (beside the file, in .debug beside it, in
/// FOLDER by its path). A file whose build-id or checksum says that it belongs to another build is not taken.
std::optional<ElfFile> find_debug_file(const ElfFile& file, const std::string& folder = debug_folder);

}  // namespace cachescape::symbols
