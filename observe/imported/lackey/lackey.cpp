#include "observe/imported/lackey/lackey.hpp"

#include <limits>

#include "observe/imported/head.hpp"
#include "observe/imported/letters.hpp"
#include "observe/imported/number.hpp"
#include "observe/imported/text_reader.hpp"

namespace cachescape::imported {
namespace {

constexpr KindLetters data_letters("L", "S", "M");

/// Whether a line begins as the fetch of an instruction does, and whether as an access to data.
bool begins_as_fetch(std::string_view line) { return line.starts_with("I  "); }
bool begins_as_data(std::string_view line) {
  return line.size() >= 3 && line[0] == ' ' && line[2] == ' ' && data_letters[line[1]] != KindLetters::none;
}

/// Whether a line that is no good record was meant to be one: it begins as one, goes on with a hexadecimal digit and
/// contains no further blank. All other lines are output of the program.
bool looks_like_record(std::string_view line) {
  return (begins_as_fetch(line) || begins_as_data(line)) && line.size() > 3 && is_hex_digit(line[3]) &&
         line.find_first_of(" \t", 3) == std::string_view::npos;
}

/// The trace line at the end of a line that the program began and did not finish ("Name? I  0401ab70,3"), or nothing.
/// lackey writes addresses with at least eight digits.
std::string_view record_at_end(std::string_view line) {
  const std::size_t comma = line.rfind(',');
  if (comma == std::string_view::npos) return {};
  std::size_t first = comma;
  while (first != 0 && is_hex_digit(line[first - 1])) --first;
  if (comma - first < 8 || first < 3) return {};
  const std::string_view record = line.substr(first - 3);
  return begins_as_fetch(record) || begins_as_data(record) ? record : std::string_view();
}

class LackeyParser {
 public:
  static constexpr std::string_view expected = R"("I  address,size", " L address,size", " S …" or " M …")";

  LineKind parse(std::string_view line, Access& access) {
    if (const LineKind kind = parse_record(line, access); kind != LineKind::malformed) [[likely]] {
      return kind;
    }
    if (looks_like_record(line)) return LineKind::malformed;
    const std::string_view record = record_at_end(line);
    if (record.empty()) return LineKind::nothing;
    const LineKind kind = parse_record(record, access);
    return kind == LineKind::malformed ? LineKind::nothing : kind;
  }

  std::string_view problem() const { return "the address (hexadecimal) or size (decimal) is not a number"; }

  std::optional<Error> at_end(const bytes::LineReader& lines) const {
    if (any_record_ || lines.line_number() == 0) return std::nullopt;
    return Error{ErrorKind::malformed, fmt::format("none of the {} lines is a trace line", lines.line_number()),
                 lines.source().name(), "run valgrind with --tool=lackey --trace-mem=yes"};
  }

 private:
  LineKind parse_record(std::string_view line, Access& access) {
    const bool fetch = begins_as_fetch(line);
    if (!fetch && !begins_as_data(line)) return LineKind::malformed;
    const char* p = line.data() + 3;
    const char* const end = line.data() + line.size();
    std::uint64_t address = 0;
    std::uint64_t size = 0;
    if (!take_hex(p, address) || *p != ',') return LineKind::malformed;
    ++p;
    if (!take_decimal(p, size, std::numeric_limits<std::uint32_t>::max()) || p != end) return LineKind::malformed;
    any_record_ = true;
    if (fetch) site_ = SiteId{address};
    access.address = Address{address};
    access.size = static_cast<std::uint32_t>(size);
    access.kind = fetch ? AccessKind::read : data_letters[line[1]];
    access.site = site_;
    return fetch ? LineKind::fetch : LineKind::access;
  }

  SiteId site_;
  bool any_record_ = false;
};

int recognise(std::span<const std::byte> head) {
  LackeyParser parser;
  HeadLines lines(head);
  std::string_view line;
  LineTally tally;
  std::size_t foreign = 0;
  while (lines.next(line)) {
    if (line.starts_with("==") && line.find("== Lackey, an example Valgrind tool") != std::string_view::npos) return 99;
    Access access;
    switch (parser.parse(line, access)) {
      case LineKind::malformed:
        ++tally.broken;
        break;
      case LineKind::nothing:
        ++foreign;
        break;
      default:
        ++tally.good;
    }
  }
  if (!tally.mostly_good()) return 0;
  return tally.good >= foreign ? 95 : 60;
}

Result<std::unique_ptr<AccessSource>> open(std::unique_ptr<bytes::ByteSource> source, const ImportOptions& options) {
  return std::make_unique<TextReader<LackeyParser>>(std::move(source), options.strictness,
                                                    options.fetches == Fetches::as_reads);
}

}  // namespace

const Format& lackey_format() {
  static constexpr Format format{"lackey", "valgrind --tool=lackey --trace-mem=yes", recognise, open};
  return format;
}

}  // namespace cachescape::imported
