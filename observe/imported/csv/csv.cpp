#include "observe/imported/csv/csv.hpp"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <utility>

#include "bytes/lines.hpp"
#include "observe/imported/csv/reorder.hpp"
#include "observe/imported/csv/row.hpp"
#include "observe/imported/head.hpp"
#include "observe/imported/number.hpp"
#include "observe/imported/text_reader.hpp"

namespace cachescape::imported {
namespace {

constexpr std::size_t window_rows = std::size_t{1} << 20;
constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

/// Blank lines and lines that begin with # are no rows.
bool is_row(std::string_view line) {
  for (const char c : line) {
    if (!is_blank(c)) return line.front() != '#';
  }
  return false;
}

std::string_view without_byte_order_mark(std::string_view line) {
  if (line.starts_with(byte_order_mark)) line.remove_prefix(byte_order_mark.size());
  return line;
}

class CsvReader final : public Reader {
 public:
  /// Without `columns`, the first row has to name them.
  CsvReader(std::unique_ptr<bytes::ByteSource> source, Strictness strictness, std::optional<Columns> columns)
      : Reader(strictness), lines_(std::move(source)), given_columns_(std::move(columns)), window_(window_rows) {}

 private:
  void fill(AccessBatch& batch) override {
    while (!batch.full()) {
      if (stopped_ || window_.full()) {
        if (window_.empty()) {
          stop_error_ ? fail(*std::move(stop_error_)) : finish();
          return;
        }
        batch.push(window_.take());
        continue;
      }
      std::string_view line;
      const bytes::LineStatus status = lines_.next(line);
      if (status != bytes::LineStatus::line) [[unlikely]] {
        if (status == bytes::LineStatus::end) {
          stopped_ = true;
        } else if (status == bytes::LineStatus::failed) {
          refuse(lines_.error());
        } else {
          pass_over(lines_.error());
        }
        continue;
      }
      if (lines_.line_number() == 1) line = without_byte_order_mark(line);
      if (!is_row(line)) continue;
      if (!parser_) [[unlikely]] {
        if (begin_table(line)) continue;
        if (!parser_) return;
      }
      deliver(line, batch);
    }
  }

  void deliver(std::string_view line, AccessBatch& batch) {
    Access access;
    Time time;
    if (!parser_->parse(line, access, time)) {
      pass_over(malformed_line(lines_, line, parser_->problem(), expected_));
    } else if (!timed_) {
      batch.push(access);
    } else if (!window_.add(time, access)) {
      pass_over(Error{ErrorKind::malformed,
                      fmt::format("the row is more than {} rows out of order in {}; expected rows sorted by time",
                                  window_rows, excerpt(line)),
                      lines_.where(), "sort the file by its time column"});
    }
  }

  /// Sets the columns up from the first row; true where that row only names them.
  bool begin_table(std::string_view line) {
    const char delimiter = delimiter_of(line);
    const bool named_by_row = !given_columns_;
    if (named_by_row) {
      auto columns = columns_from_names(line, delimiter);
      if (!columns) {
        Error error = std::move(columns).error();
        error.what += fmt::format(" where the first row is {}", excerpt(line));
        error.where = lines_.where();
        error.hint = "where the file has no row of names, give them with --columns address,size,…";
        fail(std::move(error));
        return false;
      }
      given_columns_ = *std::move(columns);
    }
    timed_ = given_columns_->has(Role::time);
    expected_ = fmt::format("a row of {} columns", given_columns_->roles.size());
    parser_.emplace(*std::exchange(given_columns_, std::nullopt), delimiter);
    return named_by_row;
  }

  // Rows that wait in the window came before the error and are delivered first.
  void refuse(Error error) override {
    stopped_ = true;
    stop_error_ = std::move(error);
  }

  const bytes::ByteSource& input() const override { return lines_.source(); }

  bytes::LineReader lines_;
  std::optional<Columns> given_columns_;
  std::optional<RowParser> parser_;
  std::string expected_;
  bool timed_ = false;
  ReorderWindow window_;
  bool stopped_ = false;
  std::optional<Error> stop_error_;
};

int recognise(std::span<const std::byte> head) {
  HeadLines lines(head);
  std::string_view line;
  std::optional<RowParser> parser;
  LineTally tally;
  for (bool first = true; lines.next(line); first = false) {
    if (first) line = without_byte_order_mark(line);
    if (!is_row(line)) continue;
    if (!parser) {
      const char delimiter = delimiter_of(line);
      auto columns = columns_from_names(line, delimiter);
      if (!columns) return 0;
      parser.emplace(*std::move(columns), delimiter);
      continue;
    }
    Access access;
    Time time;
    ++(parser->parse(line, access, time) ? tally.good : tally.broken);
  }
  if (!parser) return 0;
  return tally.mostly_good() ? 95 : 70;
}

Result<std::unique_ptr<AccessSource>> open(std::unique_ptr<bytes::ByteSource> source, const ImportOptions& options) {
  std::optional<Columns> columns;
  if (!options.columns.empty()) {
    auto named = columns_from_names(options.columns, delimiter_of(options.columns));
    if (!named) {
      Error error = std::move(named).error();
      error.kind = ErrorKind::usage;
      error.what += fmt::format(" in {}", excerpt(options.columns));
      return std::unexpected(std::move(error));
    }
    columns = *std::move(named);
  }
  return std::make_unique<CsvReader>(std::move(source), options.strictness, std::move(columns));
}

}  // namespace

const Format& csv_format() {
  static constexpr Format format{"csv", "table with named columns, separated by commas, tabs or semicolons", recognise,
                                 open};
  return format;
}

}  // namespace cachescape::imported
