// Which records are analysed until each block has been seen often enough.
#pragma once

#include <cstdint>
#include <vector>

#include "cachescape/profile.hpp"

namespace cachescape::collect {

/// A block, or the part of one between two calls, is a descriptor's number. While one that was not yet analysed `cap`
/// times is running, and for some accesses more, everything is analysed, so that distances are those of a stream
/// without holes.
class BlockSampling {
 public:
  static constexpr auto stay = static_cast<std::int64_t>(Sampling::shortest_stay);

  explicit BlockSampling(std::uint64_t cap) : cap_(cap) {}

  /// Whether this execution, or so many in a row, are analysed.
  bool wants(std::uint32_t number, std::uint64_t executions, std::uint64_t accesses) {
    if (number >= blocks_.size()) blocks_.resize(number + 1);
    Block& block = blocks_[number];
    block.executed += executions;
    if (block.analysed < cap_) left_ = stay;
    if (left_ <= 0) return false;
    left_ -= static_cast<std::int64_t>(accesses);
    block.analysed += executions;
    return true;
  }

  struct Block {
    std::uint64_t executed = 0;
    std::uint64_t analysed = 0;

    /// What each analysed execution stands for.
    double weight() const { return analysed == 0 ? 1 : static_cast<double>(executed) / static_cast<double>(analysed); }
    void add(const Block& other) {
      executed += other.executed;
      analysed += other.analysed;
    }
  };
  Block block(std::uint32_t number) const { return number < blocks_.size() ? blocks_[number] : Block{}; }

 private:
  std::uint64_t cap_;
  std::int64_t left_ = 0;
  std::vector<Block> blocks_;
};

}  // namespace cachescape::collect
