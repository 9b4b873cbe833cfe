// What the terminal can show.
#pragma once

#include <cstddef>

#include "product/report/chart.hpp"

namespace cachescape::cli {

/// Columns of the terminal that standard output is; COLUMNS, or 80, where it is none.
std::size_t terminal_width();
/// Colours only on a terminal, and not where NO_COLOR is set.
report::Colours terminal_colours();
report::Glyphs terminal_glyphs();

}  // namespace cachescape::cli
