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
    bins_.resize(room, static_cast<std::uint8_t>(kinds_->cold()));
    links_.resize(room);
  }
  const std::size_t from = bins_[line];
  if (from == 0) return 0;

  const std::size_t passed = std::min(from, full_);
  for (std::size_t bin = 0; bin < passed; ++bin) {
    const std::uint32_t leaves = last_[bin];
    bins_[leaves] = static_cast<std::uint8_t>(bin + 1);
    last_[bin] = bin == 0 ? line : links_[leaves].newer;
  }
  if (from == kinds_->cold()) {
    if (lines_ == 0) oldest_ = line;
    push(line);
    ++lines_;
    if (full_ < kinds_->depths() && lines_ == kinds_->end(full_)) last_[full_++] = oldest_;
    return from;
  }
  const Links around = links_[line];
  if (from < full_ && last_[from] == line) last_[from] = around.newer;
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
