// The table of contents at the end of a trace: where each access chunk is and what it holds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "cachescape/quantity.hpp"
#include "cachescape/result.hpp"

namespace cachescape::trace {

struct IndexEntry {
  std::uint64_t offset = 0;       ///< of the chunk's header in the file
  std::uint64_t round_first = 0;  ///< position of its round's first access
  ThreadId thread;
  std::uint32_t accesses = 0;

  friend bool operator==(const IndexEntry&, const IndexEntry&) = default;
};

/// In file order.
using Index = std::vector<IndexEntry>;

void encode_index(const Index& index, std::vector<std::byte>& out);
Result<Index> decode_index(std::span<const std::byte> raw);

}  // namespace cachescape::trace
