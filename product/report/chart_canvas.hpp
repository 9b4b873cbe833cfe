// A grid of terminal cells, drawn dot by dot (Braille, 2 × 4 dots a cell) or mark by mark.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "product/report/chart.hpp"

namespace cachescape::report {

class ChartCanvas {
 public:
  ChartCanvas(std::size_t columns, std::size_t rows) : columns_(columns), rows_(rows), cells_(columns * rows) {}

  std::size_t columns() const { return columns_; }
  std::size_t rows() const { return rows_; }

  /// Sets a dot, counted from the top left: x < 2 × columns, y < 4 × rows. The cell takes the series' colour.
  void dot(std::size_t x, std::size_t y, std::size_t series);
  /// Puts a series' mark; the first to come keeps the cell.
  void mark(std::size_t column, std::size_t row, std::size_t series);

  /// One row, without trailing blanks.
  std::string row(std::size_t row, Glyphs glyphs, Colours colours) const;

  /// What stands for a series, as mark() shows it.
  static std::string mark_of(std::size_t series, Glyphs glyphs);
  /// `text` in the series' colour.
  static std::string coloured(const std::string& text, std::size_t series, Colours colours);

 private:
  struct Cell {
    std::uint8_t dots = 0;
    bool marked = false;
    std::size_t series = 0;
  };

  std::size_t columns_;
  std::size_t rows_;
  std::vector<Cell> cells_;
};

}  // namespace cachescape::report
