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

/// Whose touches are asked about. A read-modify-write is a load.
enum class Kinds : std::uint8_t { all, loads, stores };

constexpr void add(KindCounts& to, const KindCounts& more) {
  for (std::size_t k = 0; k < access_kinds; ++k) to[k] += more[k];
}

/// A read-modify-write is a read to a cache, as in the simulator.
constexpr std::uint64_t reads(const KindCounts& counts) {
  return counts[static_cast<std::size_t>(AccessKind::read)] + counts[static_cast<std::size_t>(AccessKind::modify)];
}
constexpr std::uint64_t writes(const KindCounts& counts) { return counts[static_cast<std::size_t>(AccessKind::write)]; }

constexpr std::uint64_t sum(const KindCounts& counts, Kinds kinds) {
  switch (kinds) {
    case Kinds::loads:
      return reads(counts);
    case Kinds::stores:
      return writes(counts);
    case Kinds::all:
      break;
  }
  return sum(counts);
}

constexpr bool includes(Kinds kinds, AccessKind kind) {
  return kinds == Kinds::all || (kinds == Kinds::stores) == (kind == AccessKind::write);
}

}  // namespace cachescape::model
