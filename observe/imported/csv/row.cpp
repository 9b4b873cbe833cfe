#include "observe/imported/csv/row.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

#include "bytes/lines.hpp"
#include "observe/imported/letters.hpp"
#include "observe/imported/number.hpp"

namespace cachescape::imported {
namespace {

/// Takes a number in decimal or, after 0x, in hexadecimal.
bool take_number(const char*& p, std::uint64_t& value) {
  return skip_hex_prefix(p) ? take_hex(p, value) : take_decimal(p, value);
}

bool take_time(const char*& p, Time& time) {
  if (!take_number(p, time.whole)) return false;
  time.billionths = 0;
  if (*p != '.') return true;
  ++p;
  // Digits behind the ninth do not count.
  std::uint32_t unit = 100'000'000;
  for (; is_digit(*p); ++p) {
    time.billionths += static_cast<std::uint32_t>(*p - '0') * unit;
    unit /= 10;
  }
  return true;
}

struct Word {
  std::string_view text;
  AccessKind kind;
};
constexpr std::array kind_words{
    Word{"read", AccessKind::read},     Word{"load", AccessKind::read},     Word{"false", AccessKind::read},
    Word{"write", AccessKind::write},   Word{"store", AccessKind::write},   Word{"true", AccessKind::write},
    Word{"modify", AccessKind::modify}, Word{"update", AccessKind::modify}, Word{"rmw", AccessKind::modify},
};

constexpr bool is_word_character(char c) { return is_digit(c) || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z'); }

constexpr KindLetters kind_letters("rRlL0", "wWsS1", "mM");

AccessKind kind_of_word(std::string_view word) {
  const auto* found = std::ranges::find_if(kind_words, [&](const Word& candidate) {
    return std::ranges::equal(word, candidate.text, [](char a, char b) { return (a | 0x20) == b; });
  });
  return found == kind_words.end() ? KindLetters::none : found->kind;
}

bool take_kind(const char*& p, AccessKind& kind) {
  const char* const start = p;
  while (is_word_character(*p)) ++p;
  const auto length = static_cast<std::size_t>(p - start);
  kind = length == 1 ? kind_letters[*start] : kind_of_word({start, length});
  return kind != KindLetters::none;
}

}  // namespace

// Where tabs separate, a tab is no space.
[[gnu::always_inline]] inline void RowParser::skip_spaces(const char*& p) const {
  while (is_blank(*p) && *p != delimiter_) ++p;
}

bool RowParser::parse_thread(const char*& p, ThreadId& thread) {
  const bool negative = *p == '-';
  if (negative) ++p;
  std::uint64_t magnitude = 0;
  if (!take_number(p, magnitude)) return broken("the thread is not an integer of at most 64 bits");
  const auto number = threads_.number_of(negative && magnitude != 0, magnitude);
  if (!number) return broken("there are more than a million threads with numbers beyond 31 bits");
  thread = *number;
  return true;
}

// Inlined, so that the position stays in a register from column to column.
[[gnu::always_inline]] inline bool RowParser::parse_field(Role role, const char*& p, const char* end, Access& access,
                                                          Time& time) {
  const bool empty = p == end || *p == delimiter_;
  std::uint64_t number = 0;
  switch (role) {
    case Role::ignored: {
      const void* next = std::memchr(p, delimiter_, static_cast<std::size_t>(end - p));
      p = next == nullptr ? end : static_cast<const char*>(next);
      return true;
    }
    case Role::address:
      if (!take_number(p, number)) return broken("the address is neither decimal nor 0x and hexadecimal");
      access.address = Address{number};
      return true;
    case Role::size:
      if (empty) return true;
      if (!take_number(p, number) || number > std::numeric_limits<std::uint32_t>::max()) {
        return broken("the size is not a number of at most 32 bits");
      }
      access.size = static_cast<std::uint32_t>(number);
      return true;
    case Role::kind:
      if (!take_kind(p, access.kind))
        return broken("the kind is not R, W, M, read, write, modify, load, store, 0 or 1");
      return true;
    case Role::thread:
      return parse_thread(p, access.thread);
    case Role::pc:
      if (empty) return true;
      if (!take_number(p, number)) return broken("the program counter is neither decimal nor 0x and hexadecimal");
      access.site = SiteId{number};
      return true;
    case Role::time:
      if (!take_time(p, time)) return broken("the time is not a number");
      return true;
  }
  return true;
}

[[gnu::noinline]] const char* RowParser::parse_quoted(Role role, const char* p, const char* end, Access& access,
                                                      Time& time) {
  std::string_view rest(p, static_cast<std::size_t>(end - p));
  bool more = false;
  if (!take_field(rest, delimiter_, unquoted_, more)) {
    broken("a quote is not closed");
    return nullptr;
  }
  const char* const behind = more ? rest.data() - 1 : end;
  if (role == Role::ignored) return behind;
  const std::size_t size = unquoted_.size();
  unquoted_.append(bytes::LineReader::readable_behind, '\n');
  const char* inner = unquoted_.data();
  const char* const inner_end = inner + size;
  skip_spaces(inner);
  if (!parse_field(role, inner, inner_end, access, time)) return nullptr;
  skip_spaces(inner);
  if (inner == inner_end) return behind;
  broken("something follows the value inside the quotes");
  return nullptr;
}

bool RowParser::parse(std::string_view line, Access& access, Time& time) {
  const char* p = line.data();
  const char* const end = p + line.size();
  bool first = true;
  for (const Role role : columns_.roles) {
    if (!first) {
      if (p == end) return broken("columns are missing");
      if (*p != delimiter_) return broken("something follows the value of a column");
      ++p;
    }
    first = false;
    skip_spaces(p);
    if (*p == '"') {
      p = parse_quoted(role, p, end, access, time);
      if (p == nullptr) return false;
    } else if (!parse_field(role, p, end, access, time)) {
      return false;
    }
    skip_spaces(p);
  }
  return p == end || *p == delimiter_ || broken("something follows the value of a column");
}

}  // namespace cachescape::imported
