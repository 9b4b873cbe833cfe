#include "product/proxy/chase.hpp"

#include <array>
#include <cstddef>
#include <utility>

#include "product/proxy/chain.hpp"

namespace cachescape::proxy {
namespace {

/// Reads in one instruction, then and there: the compiler must neither swap loads of different chains, so that the
/// processor sees the seed's order, nor gather several into a vector.
template <class Element>
[[gnu::always_inline]] inline void step(const Element* array, std::uint64_t& index) {
  index = array[index];
  asm volatile("" : "+r"(index));
}

/// One loop for each number of chains: only where it is a constant do all indices stay in registers.
template <class Element, std::size_t... chain>
[[gnu::noinline]] void chase_chains(const Element* array, std::uint64_t* at, std::uint64_t rounds,
                                    std::index_sequence<chain...>) {
  std::uint64_t index[] = {at[chain]...};
  for (; rounds > 0; --rounds) (step(array, index[chain]), ...);
  ((at[chain] = index[chain]), ...);
}

template <class Element>
using Loop = void (*)(const Element*, std::uint64_t*, std::uint64_t);

template <class Element, std::size_t... less>
constexpr std::array<Loop<Element>, sizeof...(less)> loops(std::index_sequence<less...>) {
  return {[](const Element* array, std::uint64_t* at, std::uint64_t rounds) {
    chase_chains<Element>(array, at, rounds, std::make_index_sequence<less + 1>{});
  }...};
}

}  // namespace

template <class Element>
void chase(const Element* array, std::span<std::uint64_t> at, std::uint64_t rounds) {
  static constexpr auto by_chains = loops<Element>(std::make_index_sequence<most_chains>{});
  by_chains[at.size() - 1](array, at.data(), rounds);
}

template void chase(const std::uint32_t*, std::span<std::uint64_t>, std::uint64_t);
template void chase(const std::uint64_t*, std::span<std::uint64_t>, std::uint64_t);

}  // namespace cachescape::proxy
