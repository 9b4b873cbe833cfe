// Facts about a trace as text: where it came from, what was counted on the way.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cachescape/result.hpp"

namespace cachescape::trace {

/// (key, value) in the order in which they were set; a later value of a key wins.
using Metadata = std::vector<std::pair<std::string, std::string>>;

/// The value of `key`, or "" where it is not set.
std::string_view value_of(const Metadata& metadata, std::string_view key);

void encode_metadata(const Metadata& metadata, std::vector<std::byte>& out);
/// Appends to `metadata`.
Result<void> decode_metadata(std::span<const std::byte> raw, Metadata& metadata);

}  // namespace cachescape::trace
