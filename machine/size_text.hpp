// Sizes as people write them: "32K", "32KiB", "1.5M", "48 KB", "65536".
//
// K, KB and KiB (also M, G, T) all mean powers of 1024: caches have no other kind of kilobyte. Letter
// case does not matter, and spaces may stand between number and unit. At most six decimals, and the
// result must be a whole number of bytes. Pure functions, safe from any thread.
#pragma once

#include <string>
#include <string_view>

#include "cachescape/quantity.hpp"
#include "cachescape/result.hpp"

namespace cachescape::machine {

/// The number of bytes `text` stands for. Errors have no `where`: the caller knows it.
Result<Bytes> parse_size(std::string_view text);

/// "32 KiB", "1.25 MiB", "366593 B": the largest unit that shows the size exactly with at most three
/// decimals. parse_size(print_size(b)) == b for every b.
std::string print_size(Bytes size);

/// The same for places without room or spaces, as in inline machines: "32K", "1.25M", "366593".
std::string print_size_tersely(Bytes size);

}  // namespace cachescape::machine
