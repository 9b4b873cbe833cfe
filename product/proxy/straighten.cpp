#include "product/proxy/straighten.hpp"

#include <cstdint>
#include <limits>
#include <vector>

namespace cachescape::proxy {

synth::Seed straightened(const synth::Seed& seed) {
  constexpr std::uint32_t nowhere = std::numeric_limits<std::uint32_t>::max();
  const auto words_per_block = static_cast<std::uint32_t>(signature_block.bytes().value / seed.word);
  std::vector<std::uint32_t> places(seed.working_set / signature_block.bytes().value, nowhere);
  std::vector<std::uint32_t> turns(places.size());
  std::uint32_t blocks = 0;
  synth::Seed result = seed;
  for (std::uint32_t& word : result.words) {
    const std::uint32_t block = word / words_per_block;
    const std::uint32_t within = word % words_per_block;
    if (places[block] == nowhere) {
      places[block] = blocks++;
      turns[block] = within;
    }
    word = places[block] * words_per_block + (within ^ turns[block]);
  }
  result.working_set = blocks * signature_block.bytes().value;
  return result;
}

}  // namespace cachescape::proxy
