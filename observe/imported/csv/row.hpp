// One row of a table as an access.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "cachescape/access.hpp"
#include "observe/imported/csv/columns.hpp"
#include "observe/imported/csv/reorder.hpp"
#include "observe/imported/csv/thread_numbers.hpp"

namespace cachescape::imported {

/// Reads rows of one table. One thread.
class RowParser {
 public:
  RowParser(Columns columns, char delimiter) : columns_(std::move(columns)), delimiter_(delimiter) {}

  /// `line` as bytes::LineReader delivers it. False where the row is malformed; problem() then says why. Where the
  /// table has no time, `time` stays as it is.
  bool parse(std::string_view line, Access& access, Time& time);
  std::string_view problem() const { return problem_; }

  const Columns& columns() const { return columns_; }

 private:
  bool parse_field(Role role, const char*& p, const char* end, Access& access, Time& time);
  /// The position behind the field, or null.
  const char* parse_quoted(Role role, const char* p, const char* end, Access& access, Time& time);
  bool parse_thread(const char*& p, ThreadId& thread);
  void skip_spaces(const char*& p) const;
  bool broken(std::string_view problem) {
    problem_ = problem;
    return false;
  }

  Columns columns_;
  char delimiter_;
  ThreadNumbers threads_;
  std::string unquoted_;
  std::string_view problem_;
};

}  // namespace cachescape::imported
