#include "product/proxy/benchmark.hpp"

#include <span>

#include "product/proxy/chase.hpp"

namespace cachescape::proxy {
namespace {

template <class Element>
std::span<Element> elements(const Memory& memory, const Layout& layout) {
  return {static_cast<Element*>(memory.data()), layout.elements()};
}

}  // namespace

Result<Benchmark> Benchmark::make(const synth::Seed& seed, const Layout& layout, bool huge_pages,
                                  const Progress& progress) {
  CACHESCAPE_TRY(Memory memory, Memory::map(layout.size(), huge_pages));
  if (layout.element == 4) {
    link(seed, layout, elements<std::uint32_t>(memory, layout), progress);
  } else {
    link(seed, layout, elements<std::uint64_t>(memory, layout), progress);
  }
  return Benchmark(layout, std::move(memory), starts(seed, layout));
}

void Benchmark::run(std::uint64_t rounds) {
  if (layout_.element == 4) {
    chase(elements<const std::uint32_t>(memory_, layout_).data(), at_, rounds);
  } else {
    chase(elements<const std::uint64_t>(memory_, layout_).data(), at_, rounds);
  }
}

}  // namespace cachescape::proxy
