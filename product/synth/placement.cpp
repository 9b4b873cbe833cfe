#include "product/synth/placement.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "cachescape/signature.hpp"
#include "product/synth/depth_bins.hpp"

namespace cachescape::synth {
namespace {

constexpr std::uint32_t columns = 1u << signature_step_bits;
/// Blocks that lie one after the other, and blocks in use at a time: the size of first-level caches.
constexpr std::uint32_t spread = 64;
constexpr std::uint32_t nowhere_yet = std::numeric_limits<std::uint32_t>::max();

class Steps {
 public:
  Steps(const signature::Detail& detail, Random& random) : detail_(detail), random_(random), all_(detail.other_steps) {
    for (const Bin& step : detail.steps) all_ += step.count;
  }
  std::uint32_t next() {
    std::uint64_t at = random_.below(all_);
    for (const Bin& step : detail_.steps) {
      if (at < step.count) return static_cast<std::uint32_t>(step.value);
      at -= step.count;
    }
    return static_cast<std::uint32_t>(random_.below(columns));
  }
  bool known() const { return all_ > 0; }

 private:
  const signature::Detail& detail_;
  Random& random_;
  std::uint64_t all_;
};

/// Memory as rows of blocks, so that blocks of one column meet in the sets of most caches.
class Rows {
 public:
  explicit Rows(std::uint32_t width) : width_(width) {}
  std::uint32_t take(std::uint32_t column) { return used_[column]++ * width_ + column; }
  std::uint32_t used(std::uint32_t column) const { return used_[column]; }

 private:
  std::uint32_t width_;
  std::vector<std::uint32_t> used_ = std::vector<std::uint32_t>(columns);
};

/// A column that few of the blocks in use share, the next ones first.
std::uint32_t column_with_room(const DepthBins& recent, const std::vector<std::uint32_t>& places, std::uint32_t from,
                               std::uint32_t width, const Rows& rows) {
  std::array<std::uint32_t, spread> in_use{};
  const std::uint64_t near = std::min<std::uint64_t>(recent.lines(), spread);
  std::uint32_t block = near > 0 ? recent.at(0) : 0;
  for (std::uint64_t depth = 0; depth < near; ++depth, block = recent.older(block)) ++in_use[places[block] % spread];
  const auto cost = [&](std::uint32_t column) { return std::pair(in_use[column % spread], rows.used(column)); };
  std::uint32_t best = from % width;
  for (std::uint32_t i = 1; i < std::min(spread, width); ++i) {
    const std::uint32_t column = (from + i) % width;
    if (cost(column) < cost(best)) best = column;
  }
  return best;
}

/// The number's lowest bits, the lowest one first: halves of all sizes change places equally often.
std::uint8_t turned(std::uint32_t block) {
  std::uint32_t bits = 0;
  for (unsigned i = 0; i < 7; ++i) bits |= (block >> i & 1) << (6 - i);
  return static_cast<std::uint8_t>(bits);
}

/// So many references tell how crowded sets are.
constexpr std::size_t judged = 300'000;

/// Hits of a small cache in the second half of the references.
double hit_rate(std::span<const Reference> references, const Placement& placement, const signature::SetHitRate& cache) {
  constexpr unsigned log2_words_of_line = 4;
  std::vector<std::uint64_t> lines(std::size_t{cache.sets} * cache.ways, std::numeric_limits<std::uint64_t>::max());
  std::uint64_t hits = 0;
  for (const bool counts : {false, true}) {
    const std::size_t half = references.size() / 2;
    for (const Reference& r : counts ? references.subspan(half) : references.first(half)) {
      const std::uint64_t line = placement.word(r) >> log2_words_of_line;
      const auto set = lines.begin() + static_cast<std::ptrdiff_t>(line % cache.sets * cache.ways);
      const auto found = std::find(set, set + cache.ways, line);
      const bool hit = found != set + cache.ways;
      hits += counts && hit ? 1 : 0;
      std::copy_backward(set, hit ? found : set + cache.ways - 1, hit ? found + 1 : set + cache.ways);
      *set = line;
    }
  }
  return static_cast<double>(hits) / static_cast<double>(references.size() - references.size() / 2);
}

}  // namespace

Placement place_blocks(std::span<const Reference> references, std::uint64_t blocks, const signature::Detail& detail,
                       double crowding, Random& random) {
  Placement placement;
  placement.places.assign(blocks, nowhere_yet);
  placement.turns.assign(blocks, 0);
  Steps steps(detail, random);
  DepthBins recent;
  // Memory is as small as it can be, unless steps lead far away.
  const bool far = crowding > 0 && steps.known();
  const std::uint64_t dense = std::clamp<std::uint64_t>(std::bit_ceil(blocks), spread, columns);
  const auto width = static_cast<std::uint32_t>(far ? columns : dense);
  Rows rows(width);
  std::uint32_t column = 0;
  for (const Reference& r : references) {
    std::uint32_t& place = placement.places[r.block];
    if (place == nowhere_yet) {
      const bool crowded = far && random.share() < crowding;
      if (recent.lines() > 0) {
        column = crowded ? (column + steps.next()) % columns
                         : column_with_room(recent, placement.places, column + 1, width, rows);
      }
      placement.turns[r.block] = crowded ? 0 : turned(r.block);
      place = rows.take(column);
      placement.end = std::max(placement.end, place + 1);
    }
    recent.touch(r.block);
  }
  return placement;
}

Placement best_placement(std::span<const Reference> references, std::uint64_t blocks, const signature::Detail& detail,
                         std::uint64_t random_seed) {
  const std::size_t some = std::min(references.size(), 2 * judged);
  const auto middle = references.subspan((references.size() - some) / 2, some);
  Placement best;
  double least = std::numeric_limits<double>::max();
  for (const double crowding : {0.0, 0.1, 0.3, 1.0}) {
    Random random(random_seed);
    Placement placement = place_blocks(references, blocks, detail, crowding, random);
    if (detail.sets.empty()) return placement;
    double error = 0;
    for (const signature::SetHitRate& cache : detail.sets) {
      error += std::abs(hit_rate(middle, placement, cache) - cache.hit_rate);
    }
    if (error >= least) continue;
    least = error;
    best = std::move(placement);
  }
  return best;
}

}  // namespace cachescape::synth
