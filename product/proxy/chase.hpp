// The loop that is measured: each step reads an element, which is the index of one to read later.
#pragma once

#include <cstdint>
#include <span>

namespace cachescape::proxy {

/// How many chains a loop of ours keeps in registers on this processor: x86-64 has 15 beside the stack pointer, of
/// which the array and the counter of steps take two; tests/compiled/proxy.py looks at the machine code. Further ones
/// live on the stack: each of their steps reads and writes it as well, which hits the first level but is not what was
/// asked for. Others have about thirty registers.
#if defined(__x86_64__)
inline constexpr unsigned chains_in_registers = 13;
#else
inline constexpr unsigned chains_in_registers = 20;
#endif

/// Steps every chain of `at` (1 … most_chains of them) `rounds` times, in turn, and leaves in `at` where they got to.
/// Element is std::uint32_t or std::uint64_t. The array is not written.
template <class Element>
void chase(const Element* array, std::span<std::uint64_t> at, std::uint64_t rounds);

}  // namespace cachescape::proxy
