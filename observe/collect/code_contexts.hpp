// What is accessed in each calling context of translated code (session/code.h).
#pragma once

#include <cstdint>
#include <vector>

#include "cachescape/access.hpp"
#include "observe/collect/code_table.hpp"

namespace cachescape::collect {

class CodeContexts {
 public:
  struct Counts {
    std::uint64_t calls = 0;
    bool recursive = false;
    std::uint64_t loads = 0, stores = 0;  ///< a modification is both
    std::uint64_t bytes_loaded = 0, bytes_stored = 0;
  };

  /// Whether any is told, and so worth counting by.
  bool told() const { return !counts_.empty(); }
  /// A thread has come to a context in one of the ways that the session knows; false where there is no such way.
  bool enter(std::uint32_t context, std::uint64_t how);
  /// An access in a context that was entered before.
  void count(std::uint32_t context, AccessKind kind, std::uint64_t bytes) {
    Counts& c = counts_[context];
    if (kind != AccessKind::write) {
      ++c.loads;
      c.bytes_loaded += bytes;
    }
    if (kind != AccessKind::read) {
      ++c.stores;
      c.bytes_stored += bytes;
    }
  }
  /// By number; fewer than the table has, where later ones were never come to.
  const std::vector<Counts>& counts() const { return counts_; }

 private:
  std::vector<Counts> counts_;
};

}  // namespace cachescape::collect
