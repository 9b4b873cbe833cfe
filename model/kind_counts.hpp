// Arithmetic on counts by kind.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cachescape/profile.hpp"

namespace cachescape::model {

constexpr std::uint64_t sum(const KindCounts& counts) {
  std::uint64_t n = 0;
  for (const std::uint64_t c : counts) n += c;
  return n;
}

constexpr void add(KindCounts& to, const KindCounts& more) {
  for (std::size_t k = 0; k < access_kinds; ++k) to[k] += more[k];
}

/// A read-modify-write is a read to a cache, as in the simulator.
constexpr std::uint64_t reads(const KindCounts& counts) {
  return counts[static_cast<std::size_t>(AccessKind::read)] + counts[static_cast<std::size_t>(AccessKind::modify)];
}
constexpr std::uint64_t writes(const KindCounts& counts) { return counts[static_cast<std::size_t>(AccessKind::write)]; }

}  // namespace cachescape::model
