// Line charts for terminals.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace cachescape::report {

/// What the place that a picture goes to can show. The caller knows; nothing here looks at the environment.
enum class Glyphs : std::uint8_t { ascii, unicode };
enum class Colours : std::uint8_t { none, ansi256, truecolor };

struct Series {
  std::string name;
  std::vector<double> x;  ///< ascending, > 0
  std::vector<double> y;  ///< one per x, from 0 to 1
};

struct ChartOptions {
  std::size_t width = 80;   ///< columns of the terminal; never fewer than 40 are used
  std::size_t height = 16;  ///< rows of the plot, without axis and legend
  Glyphs glyphs = Glyphs::unicode;
  Colours colours = Colours::none;
  bool steps = false;  ///< between two points the value of the first holds; otherwise straight lines
};

/// Series over a logarithmic x axis; y is a share, labelled in per cent and scaled to the largest value. One dot in a
/// Braille pattern per eighth of a cell where lines can be told apart (one series, or colours), else a mark per series
/// and column. Axis labels come from `label_of`. A legend where there are several series. O(series × (points +
/// columns)).
std::string chart(const std::vector<Series>& series, const std::function<std::string(double)>& label_of,
                  const ChartOptions& options);

}  // namespace cachescape::report
