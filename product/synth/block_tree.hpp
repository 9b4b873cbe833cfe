// The parts of one block: which were touched, and in which half the last time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "cachescape/signature.hpp"

namespace cachescape::synth {

/// A part of a block: the whole is 1, the halves of part p are 2p and 2p + 1. Words of 4 bytes are parts 128 … 255.
using Part = std::uint32_t;
inline constexpr Part whole_block = 1;

/// Of the lines in a block that are as wide as a half.
constexpr unsigned log2_lines(std::size_t half) { return static_cast<unsigned>(signature_halves - half); }

/// One bit for each of the 127 parts that have halves.
class PartSet {
 public:
  bool has(Part part) const { return bits_[part / 64] >> part % 64 & 1; }
  void set(Part part, bool value) {
    const std::uint64_t bit = std::uint64_t{1} << part % 64;
    bits_[part / 64] = value ? bits_[part / 64] | bit : bits_[part / 64] & ~bit;
  }

 private:
  std::array<std::uint64_t, 2> bits_{};
};

struct BlockTree {
  PartSet touched;
  PartSet upper;  ///< the last touch was in the upper half
};

}  // namespace cachescape::synth
