// Plain-text tables: columns as wide as their widest cell, numbers to the right.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace cachescape::report {

/// Names are not shortened to less: too little would tell them apart.
inline constexpr std::size_t least_name = 16;

class Table {
 public:
  enum class Align : bool { left, right };
  struct Column {
    std::string title;
    Align align = Align::right;
  };

  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  /// One cell per column.
  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  bool empty() const { return rows_.empty(); }

  /// Shortens the cells of `column` in the middle, to no less than `least` columns, so that lines fit into `width`.
  /// False where they do not even so; then nothing was shortened.
  bool fit(std::size_t column, std::size_t width, std::size_t least);

  /// Title line and rows, each ended by a newline, two blanks between columns, no trailing blanks.
  std::string text() const;

 private:
  std::vector<std::size_t> widths() const;

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

/// Columns that `utf8` takes in a terminal, for text without wide or combining characters.
std::size_t display_width(const std::string& utf8);

}  // namespace cachescape::report
