// Rules that several parts of a profile share.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "cachescape/histogram.hpp"
#include "cachescape/result.hpp"

namespace cachescape::profile {

/// Small enough to be kept. `name` is what messages call it.
Result<void> in_range(std::uint64_t value, std::string_view name);
Result<void> in_range(const KindCounts& counts, std::string_view name);

/// Ascending values from `least` on, counts that are not zero, and a sum with `start` that can be kept.
Result<void> check_bins(std::span<const Bin> bins, std::uint64_t least, std::uint64_t start, std::string_view name);

}  // namespace cachescape::profile
