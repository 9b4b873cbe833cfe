// Files of programs that are about to be run.
#include <cstddef>
#include <cstdint>

#include "observe/collect/program_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  (void)cachescape::collect::look_at_program({data, size});
  return 0;
}
