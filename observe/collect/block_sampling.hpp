// Which records are analysed until each block has been seen often enough.
#pragma once

#include <cstddef>
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

  /// Makes ready for numbers below `blocks`, which is to come before they do.
  void know(std::size_t blocks) {
    if (blocks > blocks_.size()) blocks_.resize(blocks);
  }

  /// Whether an execution that comes now is to be analysed. Follow with take() or pass().
  bool wants(std::uint32_t number) const { return left_ > 0 || blocks_[number].analysed < cap_; }
  /// So many executions, one after the other, are analysed, with so many accesses together.
  void take(std::uint32_t number, std::uint64_t executions, std::uint64_t accesses) {
    Block& block = blocks_[number];
    if (block.analysed < cap_) left_ = stay;
    left_ -= static_cast<std::int64_t>(accesses);
    block.executed += executions;
    block.analysed += executions;
  }
  void pass(std::uint32_t number, std::uint64_t executions) { blocks_[number].executed += executions; }

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
