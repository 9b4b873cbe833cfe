// References as near to word after word as their signature allows.
#pragma once

#include "product/synth/seed.hpp"

namespace cachescape::proxy {

/// A signature leaves open where blocks lie, and which half of a part is touched first. Here blocks lie in the order in
/// which they are first touched, and begin with their first word: distances and halves stay what they were.
synth::Seed straightened(const synth::Seed& seed);

}  // namespace cachescape::proxy
