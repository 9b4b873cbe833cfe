#include "product/synth/aim.hpp"

#include <algorithm>
#include <bit>

namespace cachescape::synth {
namespace {

std::size_t half_of(std::uint64_t bytes) { return static_cast<std::size_t>(std::countr_zero(bytes)) - 2; }

/// Bins of which a signature says nothing behave like the average of all.
OctaveShares same_of(const std::array<signature::HalfShare, signature_depths>& bins,
                     const signature::HalfShare& average) {
  OctaveShares same;
  same.fill(average.share.value_or(0.5));
  for (std::size_t b = 0; b < signature_depths; ++b) {
    if (bins[b].share) same[b] = *bins[b].share;
  }
  return same;
}

}  // namespace

DistanceShares shares_of(const signature::HitRates& hit_rates, const std::optional<signature::BetweenRates>& between) {
  DistanceShares all{between ? &quarters : &octaves, {}};
  double before = 0;
  std::size_t next_between = 0;
  for (std::size_t b = 0; b < all.bins->depths(); ++b) {
    const bool power = std::has_single_bit(all.bins->end(b));
    const double rate = power ? hit_rates[all.bins->octave(b)] : (*between)[next_between++];
    all.shares[b] = std::max(0.0, rate - before);
    before = std::max(before, rate);
  }
  all.shares[all.bins->cold()] = std::max(0.0, 1 - before);
  return all;
}

Aim aim_of(const signature::Signature& signature, LineSize least_line) {
  Aim aim;
  const BinShares octave_shares = shares_of(signature.hit_rates, std::nullopt).shares;
  aim.blocks = shares_of(signature.hit_rates, signature.detail ? signature.detail->between : std::nullopt);
  aim.least_half = half_of(signature.rule.word);
  for (std::size_t h = aim.least_half; h < signature_halves; ++h) {
    aim.same[h] = same_of(signature.halves[h], signature.average[h]);
    for (std::size_t b = 0; b < signature_depths; ++b) {
      const double references = octave_shares[b] * static_cast<double>(signature.references);
      const auto& counts = signature.halves[h][b].counts;
      if (!counts || references < 1) continue;
      aim.first[h][b] = std::clamp(1 - static_cast<double>(counts->again) / references, 0.0, 1.0);
    }
  }
  if (!signature.detail) return aim;
  aim.different_blocks = signature.detail->blocks;
  if (signature.references > 0) {
    aim.cold = static_cast<double>(aim.different_blocks) / static_cast<double>(signature.references);
  }
  for (const signature::Width& width : signature.detail->widths) {
    const std::size_t half = half_of(width.line.bytes().value);
    if (width.line < least_line || half < aim.least_half || half >= signature_halves) continue;
    aim.lines[half] = shares_of(width.hit_rates, width.between);
    aim.least_line = std::min(aim.least_line, half);
  }
  for (const signature::SetHitRate& cache : signature.detail->sets) {
    const std::size_t half = half_of(cache.line.bytes().value);
    if (aim.lines[half]) aim.sets[half].push_back(cache);
  }
  return aim;
}

}  // namespace cachescape::synth
