// The naive twin of the chain, for tests: the whole loop as a list.
#pragma once

#include <cstdint>
#include <vector>

#include "product/proxy/chain.hpp"

namespace cachescape::proxy {

/// The elements in the order of their visits, once around the loop.
inline std::vector<std::uint64_t> loop_of(const synth::Seed& seed, const Layout& layout) {
  std::vector<std::uint64_t> loop;
  for (std::uint64_t r = 0; r < layout.replications; ++r) {
    for (const std::uint32_t word : seed.words) loop.push_back(r * layout.period + word);
  }
  return loop;
}

inline std::vector<std::uint64_t> linked_naively(const synth::Seed& seed, const Layout& layout) {
  const std::vector<std::uint64_t> loop = loop_of(seed, layout);
  std::vector<std::uint64_t> array(layout.elements());
  for (std::size_t i = 0; i < loop.size(); ++i) array[loop[i]] = loop[(i + layout.chains) % loop.size()];
  return array;
}

}  // namespace cachescape::proxy
