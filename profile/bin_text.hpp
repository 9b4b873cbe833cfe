// A run of a histogram as JSON text that SQLite's json_each takes apart again: what column `bins` of a chunk holds.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cachescape/histogram.hpp"
#include "cachescape/result.hpp"

namespace cachescape::profile {

/// Appends `bins` as `[2,0,1]`, a count for each value from the first on, where at least one value in four occurs, else
/// as `{"0":2,"900":1}`, a count by how far the value is from the first. In both, json_each's `key` added to the first
/// value is the value. Precondition: there are bins, and they have the form that check_bins asks for.
void append_text(std::string& text, std::span<const Bin> bins);

/// Appends what `text` says of values from `first` on to `bins`. Only what append_text could have written, with either
/// form whatever the values, is taken: no spaces, no other numbers, no value twice, nothing before or behind. Then the
/// first bin has the value `first`, values ascend, and neither they nor the sum of counts pass max_integer. Takes
/// memory in proportion to the text. An error says what is wrong, not where.
Result<void> parse_text(std::string_view text, std::uint64_t first, std::vector<Bin>& bins);

}  // namespace cachescape::profile
