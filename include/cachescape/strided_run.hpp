// A loop over arrays as one record, the way an observer that understands loops sends it.
#pragma once

#include <cstdint>
#include <vector>

#include "cachescape/access.hpp"

namespace cachescape {

/// One access of the loop's body: in iteration i its address is base + i · step (modulo 2^64).
struct StridedAccess {
  Address base;
  std::int64_t step = 0;
  std::uint32_t size = 0;
  AccessKind kind = AccessKind::read;
  SiteId site;

  Address at(std::uint64_t iteration) const {
    return Address{base.value + iteration * static_cast<std::uint64_t>(step)};
  }
};

/// `trips` iterations of a body: for each iteration, its accesses in order.
struct StridedRun {
  ThreadId thread;
  std::uint64_t trips = 0;
  std::vector<StridedAccess> body;
};

}  // namespace cachescape
