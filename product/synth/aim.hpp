// What a synthetic trace should come to: a signature as shares that can be compared with what was generated so far.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include "cachescape/signature.hpp"
#include "product/signature/signature.hpp"
#include "product/synth/bins.hpp"

namespace cachescape::synth {

/// By bin, of whichever bins; those behind the last are 0.
using BinShares = std::array<double, most_bins>;
/// By bin of a signature.
using OctaveShares = std::array<double, signature_bins>;

/// Shares of all references by distance. What is never found in 2^16 lines is in the bin for what is cold.
struct DistanceShares {
  const Bins* bins = &octaves;
  BinShares shares{};
};
DistanceShares shares_of(const signature::HitRates& hit_rates, const std::optional<signature::BetweenRates>& between);

struct Aim {
  DistanceShares blocks{};
  /// Of lines as wide as each half, where known.
  std::array<std::optional<DistanceShares>, signature_halves> lines{};
  /// Of caches with sets, by the half that their lines are as wide as; only where these lines are known.
  std::array<std::vector<signature::SetHitRate>, signature_halves> sets{};
  /// Touches in the same half as the last time, of those in a part that had been touched before.
  std::array<OctaveShares, signature_halves> same{};
  /// References that are the first to a part with these halves, where known.
  std::array<std::array<std::optional<double>, signature_bins>, signature_halves> first{};
  std::uint64_t different_blocks = 0;  ///< 0 = unknown
  double cold = 0;                     ///< share of references to a block that was never touched before; 0 = unknown
  std::size_t least_half = 0;          ///< that is still told apart: a word
  std::size_t least_line = signature_halves;  ///< among the known lines; signature_halves = none is known
};

/// Lines narrower than `least_line` are left to the halves.
Aim aim_of(const signature::Signature& signature, LineSize least_line);

}  // namespace cachescape::synth
