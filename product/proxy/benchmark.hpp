// A seed that is ready to run: its array, and where its chains are.
#pragma once

#include <cstdint>
#include <vector>

#include "cachescape/result.hpp"
#include "product/proxy/chain.hpp"
#include "product/proxy/memory.hpp"

namespace cachescape::proxy {

class Benchmark {
 public:
  /// Gets the memory and links it. The seed is not needed afterwards.
  static Result<Benchmark> make(const synth::Seed& seed, const Layout& layout, bool huge_pages,
                                const Progress& progress = {});

  const Layout& layout() const { return layout_; }
  const Memory& memory() const { return memory_; }
  /// Steps each chain so often, on from where the last call left them.
  void run(std::uint64_t rounds);

 private:
  Benchmark(const Layout& layout, Memory memory, std::vector<std::uint64_t> at)
      : layout_(layout), memory_(std::move(memory)), at_(std::move(at)) {}

  Layout layout_;
  Memory memory_;
  std::vector<std::uint64_t> at_;
};

}  // namespace cachescape::proxy
