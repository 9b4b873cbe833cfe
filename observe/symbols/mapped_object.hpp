// A file of code and data as it lay in the memory of a program.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace cachescape::symbols {

/// One line of /proc/PID/maps, or a whole library: several entries may name one file.
struct MappedObject {
  std::string path;
  std::uint64_t begin = 0, end = 0;   ///< addresses in the program, [begin, end)
  std::uint64_t file_offset = 0;      ///< of `begin`
  std::optional<std::uint64_t> bias;  ///< address in the program − address in the file; else found from the segments
  std::string build_id;  ///< in hexadecimal digits as it was when the program ran; empty where nobody looked
};

}  // namespace cachescape::symbols
