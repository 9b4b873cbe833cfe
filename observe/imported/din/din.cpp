#include "observe/imported/din/din.hpp"

#include <array>
#include <limits>

#include "observe/imported/head.hpp"
#include "observe/imported/number.hpp"
#include "observe/imported/text_reader.hpp"

namespace cachescape::imported {
namespace {

enum class Label : std::uint8_t { unknown, read, write, fetch, operation };

constexpr std::array<Label, 256> labels = [] {
  std::array<Label, 256> table{};
  auto set = [&](std::string_view characters, Label label) {
    for (const char c : characters) table[static_cast<unsigned char>(c)] = label;
  };
  // Dinero treats "miscellaneous" (3, m) as a read that starts no prefetch.
  set("0rR3mM", Label::read);
  set("1wW", Label::write);
  set("2iI", Label::fetch);
  set("4cC5vV", Label::operation);  // copy back, invalidate: done to a cache, not by the program
  return table;
}();

/// No instruction touches more at once.
constexpr std::uint64_t largest_plain_size = 512;

class DinParser {
 public:
  static constexpr std::string_view expected = R"("label address" or "label address size")";

  LineKind parse(std::string_view line, Access& access) {
    const char* p = line.data();
    const char* const end = p + line.size();
    skip_blanks(p);
    if (p == end) return LineKind::nothing;

    const char label = *p++;
    const Label meaning = labels[static_cast<unsigned char>(label)];
    if (meaning == Label::unknown || !is_blank(*p)) return broken("the label is not 0 to 5, r, w, i, m, c or v");
    skip_blanks(p);
    skip_hex_prefix(p);
    std::uint64_t address = 0;
    if (!take_hex(p, address) || (p != end && !is_blank(*p))) {
      return broken("the address is not a hexadecimal number of at most 64 bits");
    }
    std::uint64_t size = 0;
    skip_blanks(p);
    if (p != end) {
      skip_hex_prefix(p);
      const bool is_size = take_hex(p, size) && size <= std::numeric_limits<std::uint32_t>::max();
      if (is_digit(label)) {
        // Behind a digit Dinero sees only comments, but tools write sizes there: a lone number is one, unless it can
        // only be the data word of an old trace.
        skip_blanks(p);
        if (!is_size || p != end || size > largest_plain_size) size = 0;
      } else if (!is_size || (p != end && !is_blank(*p))) {
        return broken("the size is not a hexadecimal number of at most 32 bits");
      }
    }
    if (meaning == Label::operation) return LineKind::ignored;
    if (meaning == Label::fetch) site_ = SiteId{address};
    access.address = Address{address};
    access.size = static_cast<std::uint32_t>(size);
    access.kind = meaning == Label::write ? AccessKind::write : AccessKind::read;
    access.site = site_;
    return meaning == Label::fetch ? LineKind::fetch : LineKind::access;
  }

  std::string_view problem() const { return problem_; }
  std::optional<Error> at_end(const bytes::LineReader&) const { return std::nullopt; }

 private:
  LineKind broken(std::string_view problem) {
    problem_ = problem;
    return LineKind::malformed;
  }

  SiteId site_;
  std::string_view problem_;
};

int recognise(std::span<const std::byte> head) {
  DinParser parser;
  HeadLines lines(head);
  std::string_view line;
  LineTally tally;
  while (lines.next(line)) {
    Access access;
    const LineKind kind = parser.parse(line, access);
    if (kind == LineKind::malformed) ++tally.broken;
    if (kind != LineKind::malformed && kind != LineKind::nothing) ++tally.good;
  }
  if (!tally.mostly_good()) return 0;
  return tally.broken == 0 ? 80 : 60;
}

Result<std::unique_ptr<AccessSource>> open(std::unique_ptr<bytes::ByteSource> source, const ImportOptions& options) {
  return std::make_unique<TextReader<DinParser>>(std::move(source), options.strictness,
                                                 options.fetches == Fetches::as_reads);
}

}  // namespace

const Format& din_format() {
  static constexpr Format format{"din", "Dinero III and IV text: label, address and, in the extended form, size",
                                 recognise, open};
  return format;
}

}  // namespace cachescape::imported
