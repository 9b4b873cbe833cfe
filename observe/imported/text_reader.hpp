// The reader of line-based formats with at most one access per line; each format supplies its parser.
#pragma once

#include <fmt/format.h>

#include <memory>
#include <string_view>
#include <utility>

#include "bytes/lines.hpp"
#include "observe/imported/excerpt.hpp"
#include "observe/imported/reader.hpp"

namespace cachescape::imported {

/// What a line turned out to be.
enum class LineKind : std::uint8_t {
  access,     ///< one access, delivered
  fetch,      ///< an instruction fetch, counted
  nothing,    ///< blank, a comment, foreign output
  ignored,    ///< a well-formed record that is no access; counted as skipped
  malformed,  ///< breaks the rules
};

/// A malformed line as an Error: what is wrong with it, and what a line has to look like.
inline Error malformed_line(const bytes::LineReader& lines, std::string_view line, std::string_view problem,
                            std::string_view expected) {
  const bool cut = !lines.terminated();
  return Error{
      cut ? ErrorKind::truncated : ErrorKind::malformed,
      fmt::format("{} in {}{}; expected {}", problem, excerpt(line), cut ? ", where the input ends" : "", expected),
      lines.where(), ""};
}

/// Parser:
///   LineKind parse(std::string_view line, Access& access)   // line as LineReader delivers it; fetch: fills `access`
///   too std::string_view problem() const                        // of the last malformed line static constexpr
///   std::string_view expected              // what a line has to look like std::optional<Error> at_end(const
///   bytes::LineReader&)   // what is wrong with the input as a whole
template <class Parser>
class TextReader final : public Reader {
 public:
  TextReader(std::unique_ptr<bytes::ByteSource> source, Strictness strictness, bool deliver_fetches, Parser parser = {})
      : Reader(strictness), lines_(std::move(source)), deliver_fetches_(deliver_fetches), parser_(std::move(parser)) {}

 private:
  void fill(AccessBatch& batch) override {
    std::string_view line;
    while (!batch.full()) {
      const bytes::LineStatus status = lines_.next(line);
      if (status != bytes::LineStatus::line) [[unlikely]] {
        if (status == bytes::LineStatus::too_long && pass_over(lines_.error())) continue;
        if (status == bytes::LineStatus::failed) fail(lines_.error());
        if (status == bytes::LineStatus::end) end_of_input();
        return;
      }
      Access access;
      switch (parser_.parse(line, access)) {
        case LineKind::access:
          batch.push(access);
          break;
        case LineKind::fetch:
          ++instructions_;
          if (deliver_fetches_) batch.push(access);
          break;
        case LineKind::nothing:
          break;
        case LineKind::ignored:
          ++skipped_records_;
          break;
        case LineKind::malformed:
          if (!pass_over(malformed_line(lines_, line, parser_.problem(), Parser::expected))) return;
      }
    }
  }

  void end_of_input() {
    if (auto error = parser_.at_end(lines_)) {
      fail(*std::move(error));
    } else {
      finish();
    }
  }

  const bytes::ByteSource& input() const override { return lines_.source(); }

  bytes::LineReader lines_;
  bool deliver_fetches_;
  Parser parser_;
};

}  // namespace cachescape::imported
