// Counts of the references in one bin of distances.
#pragma once

#include <cstddef>
#include <cstdint>

#include "analyze/signature/block_tree.hpp"
#include "cachescape/access.hpp"
#include "cachescape/signature.hpp"

namespace cachescape::analyze {

/// Adds the fourteen counts of a walk with two additions: bytes of two numbers, emptied before they overflow.
class BinCounter {
 public:
  void add(AccessKind kind, const TreeWalk& walk) {
    ++sums_.references[static_cast<std::size_t>(kind)];
    same_ += walk.same;
    again_ += walk.again | one_walk;
    if (again_ >= most_walks) [[unlikely]]
      settle();
  }
  void add(AccessKind kind, const TreeWalk& walk, std::uint64_t times) {
    sums_.references[static_cast<std::size_t>(kind)] += times;
    add(sums_, walk.same, walk.again, times);
  }
  void add_foreign() { ++sums_.foreign; }

  SignatureBin counts() const {
    SignatureBin all = sums_;
    add(all, same_, again_, 1);
    return all;
  }

 private:
  static constexpr unsigned walks_byte = 8 * signature_halves;  ///< of again_: walks in it
  static constexpr std::uint64_t one_walk = std::uint64_t{1} << walks_byte;
  static constexpr std::uint64_t most_walks = std::uint64_t{255} << walks_byte;

  static void add(SignatureBin& to, std::uint64_t same, std::uint64_t again, std::uint64_t times) {
    for (std::size_t h = 0; h < signature_halves; ++h) {
      to.halves[h].same += (same >> TreeWalk::lanes[h] & 0xff) * times;
      to.halves[h].again += (again >> TreeWalk::lanes[h] & 0xff) * times;
    }
  }
  void settle() {
    add(sums_, same_, again_, 1);
    same_ = again_ = 0;
  }

  std::uint64_t same_ = 0;
  std::uint64_t again_ = 0;
  SignatureBin sums_;  ///< all but what is in the two above
};

}  // namespace cachescape::analyze
