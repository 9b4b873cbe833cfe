#include "product/report/surface_report.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <vector>

#include <fmt/format.h>

#include "product/report/table.hpp"

namespace cachescape::report {
namespace {

using Json = nlohmann::ordered_json;
using model::Surface;
using model::surface_depth;
using model::surface_depths;

std::uint64_t width_of(const Surface& surface, std::size_t w) { return surface.widths[w].bytes().value; }

std::string missing_note(const Surface& surface) {
  if (surface.missing_widths.empty()) return {};
  std::string list;
  for (const LineSize width : surface.missing_widths)
    list += (list.empty() ? "" : ", ") + fmt::format("{}", width.bytes().value);
  return fmt::format("\nNot in the profile: {} bytes.\n", list);
}

struct Colour {
  double red, green, blue;
};

/// From dark blue by green to yellow, even in lightness, so that it reads in grey too.
Colour colour_of(double share) {
  constexpr std::array<Colour, 5> stops{{{68, 1, 84}, {59, 82, 139}, {33, 145, 140}, {94, 201, 98}, {253, 231, 37}}};
  const double at = std::clamp(share, 0.0, 1.0) * (stops.size() - 1);
  const auto i = std::min(static_cast<std::size_t>(at), stops.size() - 2);
  const double t = at - static_cast<double>(i);
  const auto mix = [t](double a, double b) { return a + (b - a) * t; };
  return {mix(stops[i].red, stops[i + 1].red), mix(stops[i].green, stops[i + 1].green),
          mix(stops[i].blue, stops[i + 1].blue)};
}

/// The nearest of the 6 × 6 × 6 cube.
int cube_index(const Colour& c) {
  const auto step = [](double v) { return static_cast<int>(std::lround(v / 255 * 5)); };
  return 16 + 36 * step(c.red) + 6 * step(c.green) + step(c.blue);
}

constexpr std::size_t cell_columns = 4;

std::string cell(double share, Glyphs glyphs, Colours colours) {
  if (colours != Colours::none) {
    const Colour c = colour_of(share);
    const std::string blank(cell_columns, ' ');
    if (colours == Colours::ansi256) return fmt::format("\x1b[48;5;{}m{}\x1b[0m", cube_index(c), blank);
    return fmt::format("\x1b[48;2;{};{};{}m{}\x1b[0m", std::lround(c.red), std::lround(c.green), std::lround(c.blue),
                       blank);
  }
  constexpr std::array ascii{" ", ".", ":", "-", "=", "+", "*", "#", "%", "@"};
  constexpr std::array unicode{" ", "░", "▒", "▓", "█"};
  const auto pick = [share](const auto& ramp) {
    const double scaled = std::floor(std::clamp(share, 0.0, 1.0) * static_cast<double>(ramp.size()));
    return std::string(ramp[std::min(static_cast<std::size_t>(scaled), ramp.size() - 1)]);
  };
  const std::string one = glyphs == Glyphs::ascii ? pick(ascii) : pick(unicode);
  std::string text;
  for (std::size_t i = 0; i < cell_columns; ++i) text += one;
  return text;
}

std::string depth_label(std::size_t i) {
  const std::uint64_t depth = surface_depth(i);
  return depth >= 1024 ? fmt::format("{}K", depth / 1024) : fmt::format("{}", depth);
}

}  // namespace

std::string surface_table(const Surface& surface) {
  std::vector<Table::Column> columns{{"lines"}};
  for (std::size_t w = 0; w < surface.widths.size(); ++w)
    columns.push_back({fmt::format("{} B", width_of(surface, w))});
  Table table(std::move(columns));
  for (std::size_t d = 0; d < surface_depths; ++d) {
    std::vector<std::string> cells{fmt::format("{}", surface_depth(d))};
    for (std::size_t w = 0; w < surface.widths.size(); ++w)
      cells.push_back(fmt::format("{:.2f} %", 100 * surface.hit(w, d)));
    table.add(std::move(cells));
  }
  return "hit rate by lines and bytes per line\n" + table.text() + missing_note(surface);
}

std::string surface_csv(const Surface& surface) {
  std::string out = "depth,width,hit_rate\r\n";
  for (std::size_t w = 0; w < surface.widths.size(); ++w) {
    for (std::size_t d = 0; d < surface_depths; ++d) {
      fmt::format_to(std::back_inserter(out), "{},{},{}\r\n", surface_depth(d), width_of(surface, w),
                     surface.hit(w, d));
    }
  }
  return out;
}

Json surface_json(const Surface& surface) {
  Json depths = Json::array();
  for (std::size_t d = 0; d < surface_depths; ++d) depths.push_back(surface_depth(d));
  Json widths = Json::array();
  Json rates = Json::array();
  for (std::size_t w = 0; w < surface.widths.size(); ++w) {
    widths.push_back(width_of(surface, w));
    Json row = Json::array();
    for (std::size_t d = 0; d < surface_depths; ++d) row.push_back(surface.hit(w, d));
    rates.push_back(std::move(row));
  }
  Json missing = Json::array();
  for (const LineSize width : surface.missing_widths) missing.push_back(width.bytes().value);
  return {{"schema", "cachescape.surface"}, {"version", surface_schema_version},    {"depths", std::move(depths)},
          {"widths", std::move(widths)},    {"missing_widths", std::move(missing)}, {"touches", surface.touches},
          {"hit_rate", std::move(rates)}};
}

std::string surface_heat_map(const Surface& surface, Glyphs glyphs, Colours colours) {
  std::string out = "hit rate by lines (across) and bytes per line (down)\n";
  for (std::size_t w = surface.widths.size(); w-- > 0;) {
    std::string line = fmt::format("{:>5} B ", width_of(surface, w));
    for (std::size_t d = 0; d < surface_depths; ++d) line += cell(surface.hit(w, d), glyphs, colours);
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + '\n';
  }
  std::string labels(8, ' ');
  for (std::size_t d = 0; d < surface_depths; ++d) labels += fmt::format("{:<4}", depth_label(d));
  labels.erase(labels.find_last_not_of(' ') + 1);
  out += labels + "\n\n        0 % ";
  constexpr int legend_cells = 10;
  for (int i = 0; i < legend_cells; ++i) out += cell((i + 0.5) / legend_cells, glyphs, colours);
  return out + " 100 %\n" + missing_note(surface);
}

}  // namespace cachescape::report
