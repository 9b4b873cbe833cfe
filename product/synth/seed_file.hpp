// Seeds in files (docs/formats/seed.md).
#pragma once

#include <memory>
#include <span>
#include <string>

#include "bytes/sink.hpp"
#include "cachescape/result.hpp"
#include "product/synth/seed.hpp"

namespace cachescape::synth {

/// Whether `head`, the first bytes of an input, begins a seed.
bool is_seed(std::span<const std::byte> head);

/// Reading trusts nothing: every count is checked before memory is taken for it, and a checksum covers all. What is
/// read keeps all rules that Seed states. `name` is the file, for errors.
Result<Seed> read_seed(std::span<const std::byte> file, const std::string& name);
Result<Seed> read_seed(const std::string& path);

/// read_seed() gives the same seed, but for digits of its signatures beyond the sixth.
Result<void> write_seed(const Seed& seed, bytes::ByteSink& sink);

}  // namespace cachescape::synth
