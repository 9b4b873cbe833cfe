#include "product/synth/aim.hpp"

#include <algorithm>
#include <bit>

namespace cachescape::synth {
namespace {

std::size_t half_of(std::uint64_t bytes) { return static_cast<std::size_t>(std::countr_zero(bytes)) - 2; }

/// Bins of which a signature says nothing behave like the average of all.
BinShares same_of(const std::array<signature::HalfShare, signature_depths>& bins, const signature::HalfShare& average) {
  BinShares same;
  same.fill(average.share.value_or(0.5));
  for (std::size_t b = 0; b < signature_depths; ++b) {
    if (bins[b].share) same[b] = *bins[b].share;
  }
  return same;
}

}  // namespace

BinShares shares_of(const signature::HitRates& hit_rates) {
  BinShares shares{};
  double before = 0;
  for (std::size_t b = 0; b < signature_depths; ++b) {
    shares[b] = std::max(0.0, hit_rates[b] - before);
    before = std::max(before, hit_rates[b]);
  }
  shares[cold_bin] = std::max(0.0, 1 - before);
  return shares;
}

Aim aim_of(const signature::Signature& signature, LineSize least_line) {
  Aim aim;
  aim.blocks = shares_of(signature.hit_rates);
  aim.least_half = half_of(signature.rule.word);
  for (std::size_t h = aim.least_half; h < signature_halves; ++h) {
    aim.same[h] = same_of(signature.halves[h], signature.average[h]);
    for (std::size_t b = 0; b < signature_depths; ++b) {
      const double references = aim.blocks[b] * static_cast<double>(signature.references);
      const auto& counts = signature.halves[h][b].counts;
      if (!counts || references < 1) continue;
      aim.first[h][b] = std::clamp(1 - static_cast<double>(counts->again) / references, 0.0, 1.0);
    }
  }
  if (!signature.detail) return aim;
  aim.different_blocks = signature.detail->blocks;
  for (const signature::Width& width : signature.detail->widths) {
    const std::size_t half = half_of(width.line.bytes().value);
    if (width.line < least_line || half < aim.least_half || half >= signature_halves) continue;
    aim.lines[half] = shares_of(width.hit_rates);
    aim.least_line = std::min(aim.least_line, half);
  }
  return aim;
}

}  // namespace cachescape::synth
