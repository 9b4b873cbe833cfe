// Results of hpcc: what is read is usable, and what is refused says why.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "product/proxy/hpcc.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto figures = cachescape::proxy::read_hpcc_output({reinterpret_cast<const char*>(data), size});
  if (!figures) {
    if (figures.error().what.empty()) std::abort();
    return 0;
  }
  if (!(figures->triad_bytes_per_second > 0) || !(figures->updates_per_second > 0)) std::abort();
  if (figures->triad_elements == 0 || figures->table_elements == 0) std::abort();
  return 0;
}
