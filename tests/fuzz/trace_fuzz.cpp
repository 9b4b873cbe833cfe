// Any bytes as a trace file, strictly and leniently.
#include <cstddef>
#include <cstdint>

#include "trace/reader.hpp"

using namespace cachescape;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  for (const Strictness strictness : {Strictness::strict, Strictness::lenient}) {
    auto reader = trace::TraceReader::open(bytes::memory_source(std::as_bytes(std::span(data, size))), strictness);
    if (!reader) continue;
    (void)(*reader)->load_index();
    AccessBatch batch(512);
    while (true) {
      const auto more = (*reader)->next(batch);
      if (!more || !*more) break;
    }
  }
  return 0;
}
