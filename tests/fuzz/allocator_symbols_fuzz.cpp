// Any bytes as a file of a program that runs in QEMU: which allocators it has.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

extern "C" {
#include "observe/emulated/qemu/observer.h"
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  cs_allocator found[16];
  if (cs_find_allocators(data, size, found, 16) > 16) std::abort();
  return 0;
}
