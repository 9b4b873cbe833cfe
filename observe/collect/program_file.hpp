// What the file of a program tells about how it can be observed.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace cachescape::collect {

/// Families of processors whose programs can be observed.
enum class Processor { unknown, x86_64, aarch64, riscv64 };

struct ProgramFile {
  bool elf = false;  ///< machine code, not a script
  Processor processor = Processor::unknown;
  std::string interpreter;    ///< the dynamic linker that it asks for; empty where it needs none
  bool instrumented = false;  ///< linked by the compiler wrappers, with the runtime of the compile-time observer
};

/// Nothing where the file cannot be read.
ProgramFile look_at_program(const std::string& path);
ProgramFile look_at_program(std::span<const std::uint8_t> file);

}  // namespace cachescape::collect
