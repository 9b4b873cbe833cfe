#include "product/synth/placement.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <functional>

#include "cachescape/signature.hpp"

namespace cachescape::synth {
namespace {

constexpr std::uint32_t columns = 1u << signature_step_bits;
/// Blocks that lie one after the other, and blocks in use at a time: the size of first-level caches.
constexpr std::uint32_t spread = 64;
/// So many times as many are in use in larger caches, where each counts so much less.
constexpr std::uint32_t ways = 8;

/// The number's lowest bits, the lowest one first: halves of all sizes change places equally often.
std::uint8_t turned(std::uint32_t block) {
  std::uint32_t bits = 0;
  for (unsigned i = 0; i < 7; ++i) bits |= (block >> i & 1) << (6 - i);
  return static_cast<std::uint8_t>(bits);
}

}  // namespace

Placer::Placer(const signature::Detail* steps, std::uint64_t expected) : steps_(steps) {
  if (steps_ != nullptr) {
    all_steps_ = steps_->other_steps;
    for (const Bin& step : steps_->steps) all_steps_ += step.count;
  }
  width_ = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(std::bit_ceil(expected), spread, columns));
  used_.resize(width_);
  crowded_.resize(columns);
  meeting_.resize(spread);
}

std::uint32_t Placer::place_in(std::vector<std::uint32_t>& rows, std::uint32_t number) {
  while (rows.size() <= number / columns) rows.push_back(rows_++);
  return rows[number / columns] * columns + number % columns;
}

std::uint32_t Placer::step(Random& random) const {
  std::uint64_t at = random.below(all_steps_);
  for (const Bin& step : steps_->steps) {
    if (at < step.count) return static_cast<std::uint32_t>(step.value);
    at -= step.count;
  }
  return static_cast<std::uint32_t>(random.below(columns));
}

std::uint32_t Placer::column_with_room(const DepthBins& recent) const {
  std::array<std::uint32_t, spread> in_use{};
  const std::uint64_t near = std::min<std::uint64_t>(recent.lines(), ways * spread);
  std::uint32_t block = near > 0 ? recent.at(0) : 0;
  for (std::uint64_t depth = 0; depth < near; ++depth, block = recent.older(block)) {
    in_use[placement_.places[block] % spread] += depth < spread ? ways : 1;
  }
  const auto cost = [&](std::uint32_t column) { return std::pair(in_use[column % spread], used_[column]); };
  const std::uint32_t from = column_ + 1;
  std::uint32_t best = from % width_;
  for (std::uint32_t i = 1; i < std::min(spread, width_); ++i) {
    const std::uint32_t column = (from + i) % width_;
    if (cost(column) < cost(best)) best = column;
  }
  return best;
}

void Placer::place(const DepthBins& recent, bool crowded, Random& random) {
  crowded = crowded && all_steps_ > 0;
  const auto block = static_cast<std::uint32_t>(placement_.places.size());
  if (block > 0) column_ = crowded ? (column_ + step(random)) % columns : column_with_room(recent);
  placement_.turns.push_back(crowded ? std::uint8_t{0} : turned(block));
  const std::uint32_t place = crowded ? place_in(crowded_rows_, crowded_[column_]++ * columns + column_)
                                      : place_in(dense_rows_, used_[column_]++ * width_ + column_);
  meeting_[place % spread].push_back(block);
  placement_.places.push_back(place);
  placement_.end = std::max(placement_.end, place + 1);
}

void Placer::gather(std::span<const std::uint32_t> visits) {
  placement_.end = 0;
  for (std::uint32_t column = 0; column < spread; ++column) {
    std::vector<std::uint32_t>& blocks = meeting_[column];
    std::ranges::stable_sort(blocks, std::greater{}, [&](std::uint32_t block) { return visits[block]; });
    std::uint32_t place = column;
    for (const std::uint32_t block : blocks) {
      placement_.places[block] = place;
      placement_.end = std::max(placement_.end, place + 1);
      place += spread;
    }
  }
}

}  // namespace cachescape::synth
