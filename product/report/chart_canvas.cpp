#include "product/report/chart_canvas.hpp"

#include <array>

#include <fmt/format.h>

namespace cachescape::report {
namespace {

struct Hue {
  unsigned index;  ///< of the 256 colours
  unsigned red, green, blue;
};

/// Okabe and Ito's colours, which the colour-blind can tell apart; black left out, as terminals may be black.
constexpr std::array hues{Hue{214, 230, 159, 0}, Hue{74, 86, 180, 233}, Hue{36, 0, 158, 115},   Hue{228, 240, 228, 66},
                          Hue{25, 0, 114, 178},  Hue{166, 213, 94, 0},  Hue{175, 204, 121, 167}};
constexpr std::array ascii_marks{"*", "+", "o", "x", "#", "@", "%", "=", "&", "~"};
constexpr std::array unicode_marks{"●", "○", "■", "□", "▲", "△", "◆", "◇", "▼", "▽"};

std::string braille(std::uint8_t dots) {
  // U+2800 + dots, in UTF-8.
  return {'\xe2', static_cast<char>(0xa0 + (dots >> 6)), static_cast<char>(0x80 + (dots & 0x3f))};
}

}  // namespace

void ChartCanvas::dot(std::size_t x, std::size_t y, std::size_t series) {
  // Braille numbers its dots by columns, and its lowest row after all others.
  constexpr std::array<std::array<std::uint8_t, 2>, 4> bits{{{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}}};
  Cell& cell = cells_[y / 4 * columns_ + x / 2];
  cell.dots = static_cast<std::uint8_t>(cell.dots | bits[y % 4][x % 2]);
  cell.series = series;
}

void ChartCanvas::mark(std::size_t column, std::size_t row, std::size_t series) {
  Cell& cell = cells_[row * columns_ + column];
  if (cell.marked) return;
  cell.marked = true;
  cell.series = series;
}

std::string ChartCanvas::row(std::size_t row, Glyphs glyphs, Colours colours) const {
  std::string out;
  std::size_t blanks = 0;
  for (std::size_t c = 0; c < columns_; ++c) {
    const Cell& cell = cells_[row * columns_ + c];
    if (cell.dots == 0 && !cell.marked) {
      ++blanks;
      continue;
    }
    out.append(blanks, ' ');
    blanks = 0;
    out += coloured(cell.dots != 0 ? braille(cell.dots) : mark_of(cell.series, glyphs), cell.series, colours);
  }
  return out;
}

std::string ChartCanvas::mark_of(std::size_t series, Glyphs glyphs) {
  return glyphs == Glyphs::ascii ? ascii_marks[series % ascii_marks.size()]
                                 : unicode_marks[series % unicode_marks.size()];
}

std::string ChartCanvas::coloured(const std::string& text, std::size_t series, Colours colours) {
  const Hue& hue = hues[series % hues.size()];
  switch (colours) {
    case Colours::none:
      return text;
    case Colours::ansi256:
      return fmt::format("\x1b[38;5;{}m{}\x1b[0m", hue.index, text);
    case Colours::truecolor:
      return fmt::format("\x1b[38;2;{};{};{}m{}\x1b[0m", hue.red, hue.green, hue.blue, text);
  }
  return text;
}

}  // namespace cachescape::report
