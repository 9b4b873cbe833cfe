// Feeds the engine from C++: a loop over two arrays as one record, then the profile's miss ratios.
#include <cstdio>

#include "cachescape/analyzer.hpp"

using namespace cachescape;

int main() {
  auto analyzer = Analyzer::create({});
  if (!analyzer) return 1;

  // for (i = 0; i < 100000; i++) b[i] = a[i], with 8-byte elements
  StridedRun loop{ThreadId{0}, 100'000, {}};
  loop.body.push_back({Address{0x10000000}, 8, 8, AccessKind::read, SiteId{0x401000}});
  loop.body.push_back({Address{0x20000000}, 8, 8, AccessKind::write, SiteId{0x401004}});
  analyzer->consume(loop);

  for (const StackProfile& stack : analyzer->profile().stacks) {
    std::uint64_t touches = 0;
    std::uint64_t hits = 0;
    for (const Histogram& h : stack.kinds) {
      touches += h.total();
      hits += h.below(32 * 1024 / stack.line.bytes().value);
    }
    std::printf("lines of %3llu bytes: %5.1f %% of touches miss in 32 KiB\n",
                static_cast<unsigned long long>(stack.line.bytes().value),
                100.0 * static_cast<double>(touches - hits) / static_cast<double>(touches));
  }
}
