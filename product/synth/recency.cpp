#include "product/synth/recency.hpp"

#include <algorithm>
#include <bit>

namespace cachescape::synth {

void Recency::add(std::uint32_t time, std::uint32_t amount) {
  for (std::size_t i = time + std::size_t{1}; i < sums_.size(); i += i & -i) sums_[i] += amount;
}

void Recency::renumber() {
  std::uint32_t kept = 0;
  for (std::uint32_t time = 0; time < now_; ++time) {
    const std::uint32_t block = blocks_[time];
    if (block == nobody) continue;
    blocks_[kept] = block;
    times_[block] = kept++;
  }
  now_ = kept;
  const std::size_t room = std::bit_ceil(std::max<std::size_t>(1024, std::size_t{kept} * 4));
  blocks_.assign(blocks_.begin(), blocks_.begin() + kept);
  blocks_.resize(room, nobody);
  sums_.assign(room + 1, 0);
  for (std::size_t i = 1; i <= room; ++i) {
    sums_[i] += i <= kept ? 1 : 0;
    if (const std::size_t above = i + (i & -i); above <= room) sums_[above] += sums_[i];
  }
}

void Recency::touch(std::uint32_t block) {
  if (now_ == blocks_.size()) renumber();
  if (block == times_.size()) {
    times_.push_back(0);
  } else {
    if (times_[block] + 1 == now_) return;
    add(times_[block], ~0u);
    blocks_[times_[block]] = nobody;
  }
  times_[block] = now_;
  blocks_[now_] = block;
  add(now_, 1);
  ++now_;
}

std::uint32_t Recency::at(std::uint64_t depth) const {
  std::uint64_t older = times_.size() - 1 - depth;
  std::size_t before = 0;
  for (std::size_t step = blocks_.size(); step > 0; step /= 2) {
    if (before + step >= sums_.size() || sums_[before + step] > older) continue;
    before += step;
    older -= sums_[before];
  }
  return blocks_[before];
}

}  // namespace cachescape::synth
