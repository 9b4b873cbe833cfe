// What the file of a program tells about how it can be observed.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace cachescape::collect {

struct ProgramFile {
  bool elf = false;           ///< machine code, not a script
  bool x86_64 = false;        ///< for processors of this family
  bool instrumented = false;  ///< linked by the compiler wrappers, with the runtime of the compile-time observer
};

/// All false where the file cannot be read.
ProgramFile look_at_program(const std::string& path);
ProgramFile look_at_program(std::span<const std::uint8_t> file);

}  // namespace cachescape::collect
