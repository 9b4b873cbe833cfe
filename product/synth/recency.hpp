// Blocks in the order in which they were last touched, with a look at any depth.
#pragma once

#include <cstdint>
#include <vector>

namespace cachescape::synth {

/// A Fenwick tree over the times of last touches, which are numbered anew when they run out. Both operations are
/// O(log blocks). Blocks are numbered 0, 1, 2 … in the order in which they are first touched. Not thread-safe.
class Recency {
 public:
  /// Precondition: block ≤ blocks(); block == blocks() is a new one.
  void touch(std::uint32_t block);
  /// The block that was touched last but so many. Precondition: depth < blocks().
  std::uint32_t at(std::uint64_t depth) const;
  std::uint64_t blocks() const { return times_.size(); }

 private:
  static constexpr std::uint32_t nobody = ~0u;

  void add(std::uint32_t time, std::uint32_t amount);
  /// Numbers times anew, with room for as many again.
  void renumber();

  std::vector<std::uint32_t> times_;   ///< of each block's last touch
  std::vector<std::uint32_t> blocks_;  ///< by time; nobody: touched again since
  std::vector<std::uint32_t> sums_;    ///< 1-based Fenwick tree of the times at which somebody was touched last
  std::uint32_t now_ = 0;
};

}  // namespace cachescape::synth
