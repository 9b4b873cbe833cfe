// Large counts as people write them.
#pragma once

#include <cstdint>
#include <string>

#include "cachescape/result.hpp"

namespace cachescape::cli {

/// 1000, 10M, 1.5G: K, M, G and T are powers of 1000, for accesses are not bytes. `option` is where it stood.
Result<std::uint64_t> parse_count(const std::string& text, const std::string& option);

}  // namespace cachescape::cli
