// What the fuzz targets of foreign traces share: read an input to its end in every mode and check what must hold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string_view>

#include "bytes/source.hpp"
#include "observe/imported/import.hpp"

namespace cachescape::imported {

inline void require(bool condition) {
  if (!condition) std::abort();
}

/// Accesses delivered, or nothing where the trace was refused before the first.
inline std::uint64_t drain(std::span<const std::byte> data, std::string_view format, const ImportOptions& options) {
  auto source = open_trace(bytes::memory_source(data), format, options);
  if (!source) {
    require(!source.error().what.empty());
    return 0;
  }
  AccessBatch batch(61);
  std::uint64_t delivered = 0;
  while (true) {
    auto more = (*source)->next(batch);
    if (!more) {
      require(options.strictness == Strictness::strict || more.error().kind != ErrorKind::truncated);
      require(!more.error().what.empty() && !more.error().where.empty());
      require(batch.empty());
      break;
    }
    require(*more == !batch.empty());
    if (!*more) break;
    require(batch.first.value == delivered);
    for (const AccessKind kind : batch.kinds()) require(static_cast<std::size_t>(kind) < access_kinds);
    delivered += batch.size();
  }
  require((*source)->status().accesses.value == delivered);
  return delivered;
}

inline void drain_in_every_mode(std::span<const std::byte> data, std::string_view format, ImportOptions options = {}) {
  for (const Fetches fetches : {Fetches::count, Fetches::as_reads}) {
    options.fetches = fetches;
    options.strictness = Strictness::strict;
    const std::uint64_t strict = drain(data, format, options);
    options.strictness = Strictness::lenient;
    require(drain(data, format, options) >= strict);
  }
}

}  // namespace cachescape::imported
