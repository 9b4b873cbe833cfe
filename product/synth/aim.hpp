// What a synthetic trace should come to: a signature as shares that can be compared with what was generated so far.
#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "cachescape/signature.hpp"
#include "product/signature/signature.hpp"

namespace cachescape::synth {

/// Shares of all references by bin of distances. What is never found in 2^16 lines is in cold_bin, far_bin is 0.
using BinShares = std::array<double, signature_bins>;

BinShares shares_of(const signature::HitRates& hit_rates);

struct Aim {
  BinShares blocks{};
  /// Of lines as wide as each half, where known.
  std::array<std::optional<BinShares>, signature_halves> lines{};
  /// Touches in the same half as the last time, of those in a part that had been touched before.
  std::array<BinShares, signature_halves> same{};
  /// References that are the first to a part with these halves, where known.
  std::array<std::array<std::optional<double>, signature_bins>, signature_halves> first{};
  std::uint64_t different_blocks = 0;         ///< 0 = unknown
  std::size_t least_half = 0;                 ///< that is still told apart: a word
  std::size_t least_line = signature_halves;  ///< among the known lines; signature_halves = none is known
};

/// Lines narrower than `least_line` are left to the halves.
Aim aim_of(const signature::Signature& signature, LineSize least_line);

}  // namespace cachescape::synth
