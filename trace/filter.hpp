// A part of a trace: by position, thread, kind, address or site.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <set>

#include "cachescape/access.hpp"

namespace cachescape::trace {

struct Filter {
  std::uint64_t from = 0;                                           ///< first position
  std::uint64_t count = std::numeric_limits<std::uint64_t>::max();  ///< positions looked at, from there
  std::set<ThreadId> threads;                                       ///< empty = all
  std::set<AccessKind> kinds;                                       ///< empty = all
  Address lowest{0};                                                ///< addresses in lowest … highest
  Address highest{std::numeric_limits<std::uint64_t>::max()};
  SiteId lowest_site{0};
  SiteId highest_site{std::numeric_limits<std::uint64_t>::max()};

  /// Whether positions from `position` on are all past the end.
  bool past(std::uint64_t position) const { return position >= from && position - from >= count; }
  bool passes(const Access& access, std::uint64_t position) const;
  /// Keeps what passes, in order. Blocks are kept where their thread and position pass.
  void apply(const AccessBatch& batch, AccessBatch& kept) const;
};

}  // namespace cachescape::trace
