// How references behave when they are made once, and when they are made again on the same memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "cachescape/signature.hpp"
#include "product/synth/aim.hpp"
#include "product/synth/generator.hpp"

namespace cachescape::synth {

/// Distances of blocks, or of lines of one width, by bin.
using BinCounts = std::array<std::uint64_t, most_bins>;

/// Index of blocks where halves index lines.
inline constexpr std::size_t whole = signature_halves;

struct Achieved {
  std::uint64_t references = 0;
  std::uint64_t blocks = 0;  ///< distinct
  std::array<const Bins*, signature_halves + 1> bins{};
  /// By width: lines as wide as each half that was asked for, and blocks.
  std::array<BinCounts, signature_halves + 1> first{};
  std::array<BinCounts, signature_halves + 1> later{};  ///< in every further round

  /// Over `rounds` rounds in a row; over any number, but without the first, where rounds is 0.
  BinShares shares(std::size_t width, std::uint64_t rounds) const;
};

/// The widths that the aim has, in its bins.
Achieved measure(std::span<const Reference> references, const Aim& aim);

}  // namespace cachescape::synth
