// The benchmark's array: each element holds the index of an element that is visited later, so that reading it is the
// reference and tells where to go on. Replications of a seed over disjoint memory make one closed loop.
// J. Weinberg, The Chameleon Framework, dissertation, University of California, San Diego, 2008,
// sections 5.3, 5.5, 5.8.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "cachescape/quantity.hpp"
#include "cachescape/result.hpp"
#include "product/synth/seed.hpp"

namespace cachescape::proxy {

/// Loads that can be under way at a time.
inline constexpr unsigned most_chains = 20;

/// What a benchmark's array looks like. With n chains an element holds the n-th next index: n loads do not wait for
/// each other, and in the order of the program they still are those of one chain.
struct Layout {
  std::uint32_t element = 4;       ///< bytes: the word of the seed
  std::uint64_t period = 0;        ///< elements from one replication to the next
  std::uint64_t references = 0;    ///< elements that one replication visits
  std::uint64_t replications = 1;  ///< that follow each other before the loop closes
  unsigned chains = 1;

  std::uint64_t elements() const { return period * replications; }
  Bytes size() const { return Bytes{elements() * element}; }
  /// Steps until the loop closes.
  std::uint64_t visits() const { return references * replications; }

  friend bool operator==(const Layout&, const Layout&) = default;
};

/// The least number of replications whose memory is not below `footprint`, nor below what the seed asks for. Fails
/// where no array of next words can hold the seed, and where 4-byte elements cannot hold the indices (2^32 elements).
Result<Layout> lay_out(const synth::Seed& seed, Bytes footprint, unsigned chains);

/// Is told now and then what share of a long work is done.
using Progress = std::function<void(double done)>;

/// Fills `array`, which has layout.elements() zeroes. Linear in the visits. Element is std::uint32_t or std::uint64_t.
template <class Element>
void link(const synth::Seed& seed, const Layout& layout, std::span<Element> array, const Progress& progress = {});

/// Where each chain begins, in the order in which they step.
std::vector<std::uint64_t> starts(const synth::Seed& seed, const Layout& layout);

}  // namespace cachescape::proxy
