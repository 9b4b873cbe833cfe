#include "product/synth/depth_bins.hpp"

#include <algorithm>

namespace cachescape::synth {

void DepthBins::push(std::uint32_t line) {
  links_[line].older = newest_;
  if (lines_ > 0) links_[newest_].newer = line;
  newest_ = line;
  bins_[line] = 0;
}

std::size_t DepthBins::touch(std::uint32_t line) {
  if (line >= bins_.size()) {
    const std::size_t room = std::max<std::size_t>(line + std::size_t{1}, bins_.size() * 2);
    bins_.resize(room, cold_bin);
    links_.resize(room);
  }
  const std::size_t from = bins_[line];
  if (from == 0) return 0;

  const std::size_t passed = std::min(from, signature_depths);
  for (std::size_t bin = 0; bin < passed && lines_ >> bin > 0; ++bin) {
    const std::uint32_t leaves = last_[bin];
    bins_[leaves] = static_cast<std::uint8_t>(bin + 1);
    last_[bin] = bin == 0 ? line : links_[leaves].newer;
  }
  if (from == cold_bin) {
    if (lines_ == 0) oldest_ = line;
    push(line);
    ++lines_;
    const auto full = static_cast<std::size_t>(std::countr_zero(lines_));
    if (std::has_single_bit(lines_) && full < signature_depths) last_[full] = oldest_;
    return from;
  }
  const Links around = links_[line];
  if (from < signature_depths && lines_ >> from > 0 && last_[from] == line) last_[from] = around.newer;
  links_[around.newer].older = around.older;
  if (line == oldest_) {
    oldest_ = around.newer;
  } else {
    links_[around.older].newer = around.newer;
  }
  push(line);
  return from;
}

}  // namespace cachescape::synth
