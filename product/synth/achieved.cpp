#include "product/synth/achieved.hpp"

#include <algorithm>

#include "product/synth/depth_bins.hpp"

namespace cachescape::synth {

BinShares Achieved::shares(std::size_t width, std::uint64_t rounds) const {
  BinShares shares{};
  const double once = rounds == 0 ? 0 : 1 / static_cast<double>(rounds);
  const Bins& all = *bins[width];
  for (std::size_t b = 0; b < all.count(); ++b) {
    const double share =
        static_cast<double>(first[width][b]) * once + static_cast<double>(later[width][b]) * (1 - once);
    shares[b == all.far() ? all.cold() : b] += share / static_cast<double>(references);
  }
  return shares;
}

Achieved measure(std::span<const Reference> references, const Aim& aim) {
  Achieved achieved;
  achieved.references = references.size();
  for (std::size_t width = std::min(aim.least_line, whole); width <= whole; ++width) {
    if (width < whole && !aim.lines[width]) continue;
    achieved.bins[width] = width == whole ? aim.blocks.bins : aim.lines[width]->bins;
    DepthBins lines(*achieved.bins[width]);
    const auto log2_lines = static_cast<unsigned>(whole - width);
    const auto log2_words = static_cast<unsigned>(width);
    for (BinCounts* counts : {&achieved.first[width], &achieved.later[width]}) {
      for (const Reference& r : references) {
        ++(*counts)[lines.touch((r.block << log2_lines) + (unsigned{r.word} >> log2_words))];
      }
    }
    if (width == whole) achieved.blocks = lines.lines();
  }
  return achieved;
}

}  // namespace cachescape::synth
