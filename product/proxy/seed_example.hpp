// Seeds for tests.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "product/synth/seed.hpp"

namespace cachescape::proxy {

/// References of `words` in this order.
inline synth::Seed seed_of(std::vector<std::uint32_t> words, std::uint64_t working_set = 512, std::uint32_t word = 4) {
  synth::Seed seed;
  seed.unique = true;
  seed.word = word;
  seed.words = std::move(words);
  seed.working_set = working_set;
  return seed;
}

/// `references` different words of a working set of so many blocks, in an order that depends on `random`.
inline synth::Seed shuffled_seed(std::size_t blocks, std::size_t references, std::uint32_t word, std::uint32_t random) {
  std::vector<std::uint32_t> words(blocks * 512 / word);
  std::iota(words.begin(), words.end(), 0u);
  std::mt19937 engine(random);
  std::ranges::shuffle(words, engine);
  words.resize(std::min(references, words.size()));
  return seed_of(std::move(words), blocks * 512, word);
}

}  // namespace cachescape::proxy
