#include "analyze/distance/stack_window.hpp"

#include <cstring>

namespace cachescape::analyze {

namespace {

constexpr std::uint64_t pieces(std::uint64_t touches, unsigned bits, std::uint64_t padded_to) {
  const std::uint64_t n = (touches + (std::uint64_t{1} << bits) - 1) >> bits;
  return (n + padded_to - 1) / padded_to * padded_to;
}

}  // namespace

StackWindow::StackWindow(std::uint64_t size) : touches(size) {
  const std::uint64_t word_count = pieces(size, word_bits, 8);
  const std::uint64_t leaf_count = pieces(size, leaf_bits, 64);
  const std::uint64_t group_count = pieces(size, group_bits, 64);
  const std::uint64_t block_count = pieces(size, block_bits, 16);
  memory_ = Mapping(word_count * sizeof *words + leaf_count * sizeof *leaves + group_count * sizeof *groups +
                    block_count * (sizeof *blocks + sizeof *after_block) + leaf_count * sizeof *ranks);
  // Each part is a multiple of 64 bytes, so each starts on a cache line.
  words = memory_.as<std::uint64_t>();
  leaves = reinterpret_cast<std::uint8_t*>(words + word_count);
  groups = reinterpret_cast<std::uint16_t*>(leaves + leaf_count);
  blocks = reinterpret_cast<std::uint32_t*>(groups + group_count);
  after_block = blocks + block_count;
  ranks = after_block + block_count;
}

void StackWindow::clear() {
  // Everything but the ranks, which are rewritten before they are read.
  std::memset(words, 0, static_cast<std::size_t>(reinterpret_cast<char*>(ranks) - reinterpret_cast<char*>(words)));
}

}  // namespace cachescape::analyze
