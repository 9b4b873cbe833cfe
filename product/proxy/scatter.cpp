#include "product/proxy/scatter.hpp"

#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "product/synth/random.hpp"

namespace cachescape::proxy {
namespace {

constexpr unsigned lines_per_block = 8;

/// The k-th visit of a block whose visits each take the other half than the last one did, of every part that they
/// enter: k with its bits in reverse.
std::uint32_t opposite_line(std::uint32_t visit) { return (visit & 1) << 2 | (visit & 2) | (visit & 4) >> 2; }

}  // namespace

synth::Seed scattered(const synth::Seed& seed) {
  const auto words_per_block = static_cast<std::uint32_t>(signature_block.bytes().value / seed.word);
  const std::uint32_t words_per_line = words_per_block / lines_per_block;
  synth::Random random(1);
  std::vector<std::uint32_t> places(seed.working_set / signature_block.bytes().value);
  std::iota(places.begin(), places.end(), 0u);
  for (std::size_t left = places.size(); left > 1; --left) std::swap(places[left - 1], places[random.below(left)]);
  // Which half is the first does not matter to any distance: it is drawn for each block and each part of it.
  std::vector<std::uint32_t> turns(places.size());
  for (std::uint32_t& turn : turns) turn = static_cast<std::uint32_t>(random.below(words_per_block));
  synth::Seed result = seed;
  result.words.clear();
  for (synth::SeedPhase& phase : result.phases) phase.length *= lines_per_block;
  result.words.reserve(seed.words.size() * lines_per_block);
  for (std::uint32_t visit = 0; visit < lines_per_block; ++visit) {
    for (const std::uint32_t word : seed.words) {
      const std::uint32_t block = word / words_per_block;
      const std::uint32_t within = word % words_per_block ^ opposite_line(visit) * words_per_line ^ turns[block];
      result.words.push_back(places[block] * words_per_block + within);
    }
  }
  return result;
}

}  // namespace cachescape::proxy
