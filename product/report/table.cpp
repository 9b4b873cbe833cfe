#include "product/report/table.hpp"

#include <algorithm>
#include <numeric>

#include "product/report/fitted_text.hpp"

namespace cachescape::report {

std::size_t display_width(const std::string& utf8) {
  return static_cast<std::size_t>(
      std::ranges::count_if(utf8, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

std::vector<std::size_t> Table::widths() const {
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    std::size_t width = display_width(columns_[c].title);
    for (const auto& row : rows_) width = std::max(width, display_width(row[c]));
    widths.push_back(width);
  }
  return widths;
}

bool Table::fit(std::size_t column, std::size_t width, std::size_t least) {
  const std::vector<std::size_t> all = widths();
  const std::size_t others = std::accumulate(all.begin(), all.end(), 2 * (all.size() - 1)) - all[column];
  if (others + all[column] <= width) return true;
  const std::size_t room = width > others ? width - others : 0;
  if (room < std::max(least, display_width(columns_[column].title))) return false;
  for (auto& row : rows_) row[column] = shortened(row[column], room);
  return true;
}

std::string Table::text() const {
  const std::vector<std::size_t> widths = this->widths();
  std::string out;
  const auto add_line = [&](auto cell_of) {
    std::string line;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const std::string& cell = cell_of(c);
      const std::string space(widths[c] - display_width(cell), ' ');
      if (c > 0) line += "  ";
      line += columns_[c].align == Align::left ? cell + space : space + cell;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + '\n';
  };
  add_line([&](std::size_t c) -> const std::string& { return columns_[c].title; });
  for (const auto& row : rows_) add_line([&](std::size_t c) -> const std::string& { return row[c]; });
  return out;
}

}  // namespace cachescape::report
